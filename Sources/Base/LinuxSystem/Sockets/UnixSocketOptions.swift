import CLinux
import Glibc

extension UnixSocket {
    /// Limits the data that was sent but not received yet, in bytes as the kernel counts them; descriptors in transit
    /// are included.
    ///
    /// - Throws: `SystemError` of `setsockopt`.
    package func limitSending(bytes: CInt) throws(SystemError) {
        var bytes = bytes
        _ = try retrying("setsockopt") {
            unsafe setsockopt(
                descriptor.number, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<CInt>.size))
        }
    }

    /// The abstract name that the peer of a connection is bound to, without its leading zero byte; nil without one. The
    /// peer chooses it, so it is only as trustworthy as the peer.
    ///
    /// - Throws: `SystemError` of `getpeername`.
    package func peerAbstractName() throws(SystemError) -> String? {
        var name = [CChar](repeating: 0, count: UnixAddress.longestPath)
        let count = try retrying("getpeername") { unsafe clinux_peer_abstract_name(descriptor.number, &name) }
        return count == 0 ? nil : String(decoding: name.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The path that a socket is bound to.
    ///
    /// - Throws: `SystemError` of `getsockname`; `EINVAL` when it is bound to none.
    package func localPath() throws(SystemError) -> String {
        var address = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        _ = try retrying("getsockname") {
            unsafe withUnsafeMutableBytes(of: &address) {
                unsafe getsockname(
                    descriptor.number, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &size)
            }
        }
        let bytes = unsafe withUnsafeBytes(of: &address.sun_path) { unsafe Array($0.prefix { $0 != 0 }) }
        guard !bytes.isEmpty else { throw SystemError(code: EINVAL, call: "getsockname") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
