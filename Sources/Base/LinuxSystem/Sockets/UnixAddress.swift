import CLinux
import Glibc

/// The address of a unix socket in the file system.
@safe struct UnixAddress {
    private var address = sockaddr_un()
    /// The folder of a socket whose path is too long for the kernel; the socket is reached through it.
    private let folder: FileDescriptor?

    /// The length of the longest path that the kernel takes, without its final zero.
    static let longestPath = 107

    /// A longer path is reached through its folder, which is opened and named by its number in `/proc/self/fd`.
    ///
    /// - Throws: `SystemError` with `ENAMETOOLONG` or `EINVAL` for a path that cannot be an address. An empty path, or
    ///   one with a zero byte, would name another socket than the caller means. Also the errors of `open` for the
    ///   folder of a long path.
    init(path: String) throws(SystemError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SystemError(code: EINVAL, call: "bind", advice: "the socket path is empty or has a zero byte in it")
        }
        let way: String
        (way, folder) = try Self.way(to: path)
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(way.utf8)) }
    }

    private static func way(to path: String) throws(SystemError) -> (String, FileDescriptor?) {
        if path.utf8.count <= longestPath { return (path, nil) }
        guard let parent = PrivateDirectory.parent(of: path),
            let name = path.split(separator: "/").last, name.utf8.count <= longestName
        else {
            throw SystemError(
                code: ENAMETOOLONG, call: "bind",
                advice:
                    "the socket's name at the end of \(path) has more than \(longestName) bytes: choose a shorter one")
        }
        let folder = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder(parent) })
        return ("/proc/self/fd/\(folder.number)/\(name)", folder)
    }

    /// The length that remains behind the longest number of a folder.
    private static let longestName = longestPath - "/proc/self/fd/2147483647/".utf8.count

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withExtendedLifetime(folder) {
            unsafe withUnsafeBytes(of: address) {
                unsafe body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
            }
        }
    }
}
