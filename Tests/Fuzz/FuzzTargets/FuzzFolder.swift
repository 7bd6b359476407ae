import Glibc
import LinuxSystem

/// A folder in memory for one kind of input, empty at first; what an earlier process left there is gone.
struct FuzzFolder {
    let path: String

    /// Each process has its own, so that several may run.
    init(_ name: String) {
        path = "/dev/shm/keychain-fuzz-\(getpid())-\(name)"
        Self.remove(path)
        require(unsafe mkdir(path, 0o700) == 0, "no folder at \(path)")
        Self.made.withLock { $0.append(path) }
        Self.removeAtExit
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Puts a file there, without waiting for a disk.
    func put(_ name: String, _ content: [UInt8]) {
        must("a file cannot be written") { () throws(SystemError) in
            let file = try FileDescriptor.open(self.file(name), O_WRONLY | O_CREAT | O_TRUNC)
            try file.writeFully(content.span)
        }
    }

    func read(_ name: String) -> [UInt8]? { try? AtomicFile.read(file(name), limit: 1 << 24) }

    /// Removes everything in it.
    func empty() {
        for name in Self.names(in: path) { Self.remove(file(name)) }
    }

    private static let made = Lock<[String]>([])
    private static let removeAtExit: Void = { atexit { FuzzFolder.made.withLock { $0.forEach(FuzzFolder.remove) } } }()

    private static func remove(_ path: String) {
        for name in names(in: path) where unsafe unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
        if unsafe unlink(path) != 0 { unsafe rmdir(path) }
    }

    static func names(in path: String) -> [String] {
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
