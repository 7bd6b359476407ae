import Foundation

// Written as a program for an Apple system, without this package's own rules. `declarations_test.sh` compiles it in
// Swift 5 and in Swift 6 mode, with warnings as errors, and runs it with an empty keychain.

/// Counts the conditions that hold, and prints those that do not.
final class Checks: @unchecked Sendable {
    static let all = Checks()
    private let lock = NSLock()
    private var passed = 0
    private var failures: [String] = []

    func note(_ holds: Bool, _ what: String) {
        lock.withLock {
            if holds { passed += 1 } else { failures.append(what) }
        }
    }

    /// Ends the program: 0 when everything held.
    func end() -> Never {
        for failure in failures { print("FAILED: \(failure)") }
        print("\(passed) checks hold")
        exit(failures.isEmpty ? 0 : 1)
    }
}

func check(_ holds: Bool, _ what: String, line: Int = #line, file: String = #fileID) {
    Checks.all.note(holds, "\(file):\(line): \(what)")
}
