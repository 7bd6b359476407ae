import Glibc
import LinuxSystem

/// Long enough for any machine, short enough to end a test that hangs.
var soon: Deadline { .after(milliseconds: 20_000) }

extension UnixSocket {
    func sendText(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try sendFully(bytes.span, deadline: soon)
    }

    /// What comes until `count` bytes are there or the peer closes.
    func receiveText(_ count: Int) throws(SystemError) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let received = try receiveFully(into: &span, deadline: soon)
        return String(decoding: bytes.prefix(received), as: UTF8.self)
    }
}

extension FileDescriptor {
    func writeText(_ text: String) throws(SystemError) {
        let bytes = Array(text.utf8)
        try writeFully(bytes.span, deadline: soon)
    }

    func readText(_ count: Int) throws(SystemError) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let received = try readFully(into: &span, deadline: soon)
        return String(decoding: bytes.prefix(received), as: UTF8.self)
    }

    var isClosedOnExec: Bool { fcntl(number, F_GETFD) & FD_CLOEXEC != 0 }
    var isNonBlocking: Bool { fcntl(number, F_GETFL) & O_NONBLOCK != 0 }
}

/// The `errno` of what the body throws.
func code(of body: () throws(SystemError) -> Void) -> CInt? {
    do { try body() } catch { return error.code }
    return nil
}
