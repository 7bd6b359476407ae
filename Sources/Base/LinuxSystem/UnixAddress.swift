import Glibc

/// The address of a unix socket in the file system.
@safe struct UnixAddress {
    private var address = sockaddr_un()

    /// How long a path the kernel takes, its final zero not counted.
    static let longestPath = 107

    /// - Throws: `SystemError` with `ENAMETOOLONG` or `EINVAL` for a path that cannot be an address. An empty path, or a zero
    ///   byte in it, would name something else than the caller means.
    init(path: String) throws(SystemError) {
        let bytes = Array(path.utf8)
        guard bytes.count <= Self.longestPath else {
            throw SystemError(
                code: ENAMETOOLONG, call: "bind",
                advice: "the socket path \(path) has \(bytes.count) bytes and at most \(Self.longestPath) fit: "
                    + "choose a directory with a shorter path")
        }
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw SystemError(code: EINVAL, call: "bind", advice: "the socket path is empty or has a zero byte in it")
        }
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafeBytes(of: address) {
            unsafe body($0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
    }
}
