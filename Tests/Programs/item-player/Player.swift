import Glibc

/// Performs the lines of a script one after the other and records the result of each.
final class Player {
    private let next: () -> String?
    private var line = 0
    private var process = getpid()
    private var children: [pid_t] = []

    init(reading next: @escaping () -> String?) { self.next = next }

    /// Runs until the script ends, and then until the forked children have ended.
    func play() {
        while let text = read() { perform(text.split(separator: " ").map(String.init)) }
        for child in children { waitpid(child, nil, 0) }
    }

    private func read() -> String? {
        guard let text = next() else { return nil }
        line += 1
        return text
    }

    private func perform(_ words: [String]) {
        switch words.first {
        case nil: return
        case "fork": fork(lines: Int(words[1]) ?? 0)
        case "pause": usleep(UInt32(words[1]).map { $0 * 1000 } ?? 0)
        case "kill": raise(SIGKILL)
        default:
            note("B \(process) \(line) \(now())")
            let outcome = Operation(words).perform()
            note("E \(process) \(line) \(now()) \(outcome)")
        }
    }

    /// The child performs so many lines and ends; this process continues behind them.
    private func fork(lines: Int) {
        // Swift hides `fork`, so it is looked up.
        let fork = unsafeBitCast(dlsym(nil, "fork"), to: (@convention(c) () -> pid_t).self)
        let child = fork()
        guard child == 0 else {
            children.append(child)
            for _ in 0..<lines { _ = read() }
            return
        }
        process = getpid()
        for _ in 0..<lines { if let text = read() { perform(text.split(separator: " ").map(String.init)) } }
        _exit(0)
    }

    private func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Writes a line with one system call, so that a kill leaves whole lines.
func note(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
}
