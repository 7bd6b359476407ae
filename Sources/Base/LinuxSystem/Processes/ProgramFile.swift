import CLinux
import Glibc

/// A file that is held open to be executed, in the version it had then.
package struct ProgramFile: Sendable {
    /// The name it was opened by.
    package let path: String
    /// The file, not open for reading: it may be executable only.
    package let file: FileDescriptor
    package let version: FileVersion
    private let head: [UInt8]

    /// As much of a file as the kernel looks at to see what it is.
    private static let headBytes = 256

    /// - Throws: `SystemError`: `ENOENT` when there is none, `EACCES` for a file that may not be executed.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        file = FileDescriptor(owning: try retrying("open") { unsafe clinux_hold_file(path) })
        let held = "/proc/self/fd/\(file.number)"
        guard try FileStatus(of: file).isRegularFile, unsafe access(held, X_OK) == 0 else {
            throw SystemError(code: EACCES, call: "access", advice: path)
        }
        version = try FileVersion(at: held)
        head = (try? FileDescriptor.open(held, O_RDONLY | O_NONBLOCK).read(at: 0, count: Self.headBytes)) ?? []
    }

    /// The path without symbolic links.
    ///
    /// - Throws: `SystemError` of `readlink`.
    package var fullPath: String {
        get throws(SystemError) { try SymbolicLink.read("/proc/self/fd/\(file.number)") }
    }

    /// Whether the file, and what is at its path, is as it was when it was opened.
    package var isUnchanged: Bool {
        (try? FileVersion(at: path)) == version && (try? FileVersion(at: "/proc/self/fd/\(file.number)")) == version
    }

    /// The program that a script's first line names, and the one word behind it (execve(2)); nil for a file that is no
    /// script.
    ///
    /// - Throws: `SystemError`: `ENOEXEC` for a first line that is too long or names nothing.
    package var interpreter: (path: String, word: String?)? {
        get throws(SystemError) {
            guard head.starts(with: "#!".utf8) else { return nil }
            let line = head.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
            let isWhole = line.endIndex < head.endIndex || head.count < Self.headBytes
            guard isWhole, let text = String(validating: line, as: UTF8.self) else {
                throw SystemError(code: ENOEXEC, call: "execve", advice: path)
            }
            let words = text.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\t" })
            guard let name = words.first else { throw SystemError(code: ENOEXEC, call: "execve", advice: path) }
            let rest = words.count < 2 ? "" : String(words[1]).trimmingBlanks
            return (String(name), rest.isEmpty ? nil : rest)
        }
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
        var rest = self[...].drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return String(rest)
    }
}
