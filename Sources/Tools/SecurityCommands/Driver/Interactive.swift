import CommandOptions
import LinuxSystem

/// A session of many commands, one a line (rule command.driver.interactive), read from a terminal or a script.
struct Interactive {
    private let session: Session
    private let prompt: Argument

    init(_ session: Session, prompt: Argument?) {
        self.session = session
        self.prompt = prompt ?? Argument("security> ")
    }

    /// Runs until the input ends.
    ///
    /// - Returns: the status of the last command.
    func run() -> Int32 {
        session.isInteractive = true
        var status: Int32 = 0
        while let line = nextLine() {
            let words = LineSplitter.split(line)
            status = Driver.execute(words, session)
            if status != 0, !session.isQuiet, let name = words.first {
                session.diagnostics.write("\(name.text.printable): returned \(status)\n")
            }
            session.flush()
        }
        return status
    }

    private func nextLine() -> SecretBytes? {
        if session.input.isTerminal {
            prompt.bytes.withSpan { session.diagnostics.write($0) }
            session.flush()
        }
        do { return try session.input.readLine() } catch {
            session.report(CommandFailure("standard input", error))
            return nil
        }
    }
}

/// Splits a line into words: at blanks, except within quotes that begin a word and after a backslash.
enum LineSplitter {
    static func split(_ line: SecretBytes) -> [Argument] {
        line.withSpan { bytes in
            var words: [Argument] = []
            var offset = 0
            while let start = skipBlanks(bytes, offset) { words.append(takeWord(bytes, start, &offset)) }
            return words
        }
    }

    private static func skipBlanks(_ bytes: Span<UInt8>, _ offset: Int) -> Int? {
        var offset = offset
        while offset < bytes.count, isBlank(bytes[offset]) { offset += 1 }
        return offset < bytes.count ? offset : nil
    }

    private static func takeWord(_ bytes: Span<UInt8>, _ start: Int, _ offset: inout Int) -> Argument {
        let quote = [UInt8(ascii: "\""), UInt8(ascii: "'")].first { $0 == bytes[start] }
        let word = SecretBuffer(capacity: 64)
        offset = quote == nil ? start : start + 1
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            if byte == quote || quote == nil && isBlank(byte) { break }
            if byte != UInt8(ascii: "\\") {
                word.append(byte)
            } else if offset < bytes.count {
                word.append(bytes[offset])
                offset += 1
            }
        }
        return Argument(word.copy())
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (9...13).contains(byte) }
}
