import Glibc
package import LinuxSystem

extension UnixSocket {
    package func sendText(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try sendFully(bytes.span, deadline: soon)
    }

    /// The bytes that come until `count` are there or the peer closes.
    package func receiveText(_ count: Int) throws(SystemError) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let received = try receiveFully(into: &span, deadline: soon)
        return String(decoding: bytes.prefix(received), as: UTF8.self)
    }
}

extension FileDescriptor {
    package func writeText(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try writeFully(bytes.span, deadline: soon)
    }

    package func readText(_ count: Int) throws(SystemError) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let received = try readFully(into: &span, deadline: soon)
        return String(decoding: bytes.prefix(received), as: UTF8.self)
    }

    package var isClosedOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }
    package var isNonBlocking: Bool { fcntl(number, F_GETFL) & O_NONBLOCK != 0 }
}

/// The `errno` of what the body throws.
package func code(of body: () throws(SystemError) -> Void) -> CInt? {
    do { try body() } catch { return error.code }
    return nil
}
