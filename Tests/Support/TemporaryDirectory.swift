import Glibc
import LinuxSystem

/// A directory of a test's own, removed with everything in it.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// Makes it below `TMPDIR`, or `/tmp`.
    ///
    /// - Parameter inMemory: whether it is on a file system in memory, where there is one: for many files that a test
    ///   is not about.
    package init(inMemory: Bool = false) throws {
        let base = unsafe inMemory && access(Self.memory, W_OK) == 0 ? Self.memory : Self.base
        var name = Array("\(base)/keychain-tests-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&name) != nil else { throw SystemError(code: errno, call: "mkdtemp") }
        path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Where temporary files of this run of the tests go.
    package static let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"

    private static let memory = "/dev/shm"

    deinit { remove() }

    /// Removes it with everything in it, for one that is never let go of.
    package func remove() { Self.remove(path) }

    /// The path of a file in it.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of its entries.
    package var names: [String] { Self.names(in: path).sorted() }

    private static func remove(_ path: String) {
        for name in names(in: path) where unsafe unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        unsafe rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let stream = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) { unsafe String(cString: $0) }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
