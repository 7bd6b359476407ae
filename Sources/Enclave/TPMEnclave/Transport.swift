import CTSS2
import Glibc
import KeychainModel
import LinuxSystem

/// The connection to a TPM, in the form that the library requires (TSS 2.0 TCTI Specification).
///
/// Devices and unix sockets are ours: the library's own modules for them cannot be given a limit of time, and are
/// looked for on the disk when the enclave should not read it any more. All others are the library's.
@safe final class Transport {
    let context: OpaquePointer
    /// Ours is freed by us.
    private let own: UnsafeMutablePointer<DescriptorTransport>?
    /// The descriptor of this module's own transport.
    private let descriptor: FileDescriptor?

    /// Opens the connection to an address: `device:<path>`, `swtpm:path=<socket>`, or a name for
    /// `Tss2_TctiLdr_Initialize`.
    init(_ address: String, deadline: Deadline) throws(TPMFailure) {
        guard let descriptor = try Self.open(address, deadline: deadline) else {
            var context: OpaquePointer?
            let code = unsafe Tss2_TctiLdr_Initialize(address, &context)
            guard code == TSS2_RC_SUCCESS, let context = unsafe context else { throw .gone(TPMFailure.text(code)) }
            unsafe (self.context, own, self.descriptor) = unsafe (context, nil, nil)
            return
        }
        let own = UnsafeMutablePointer<DescriptorTransport>.allocate(capacity: 1)
        unsafe own.initialize(to: DescriptorTransport(descriptor.number))
        unsafe (context, self.own, self.descriptor) = unsafe (OpaquePointer(own), own, descriptor)
    }

    deinit {
        if let own = unsafe own { return unsafe own.deallocate() }
        var context: OpaquePointer? = unsafe context
        unsafe Tss2_TctiLdr_Finalize(&context)
    }

    private static func open(_ address: String, deadline: Deadline) throws(TPMFailure) -> FileDescriptor? {
        do throws(SystemError) {
            if let path = address.rest(after: "device:") { return try FileDescriptor.open(path, O_RDWR | O_NONBLOCK) }
            guard let path = address.rest(after: "swtpm:path=") else { return nil }
            let descriptor = try UnixSocket.connect(to: path, deadline: deadline).descriptor
            try descriptor.setNonBlocking()
            return descriptor
        } catch { throw .gone("\(error)") }
    }
}

extension String {
    fileprivate func rest(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.utf8.count)) : nil
    }
}

/// A descriptor that takes a command in one write and gives the response: what the library sees of it comes first.
private struct DescriptorTransport {
    private var common = TSS2_TCTI_CONTEXT_COMMON_V1()
    let descriptor: CInt

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        common.version = 1
        unsafe common.transmit = { unsafe DescriptorCalls.transmit($0, $1, $2) }
        unsafe common.receive = { unsafe DescriptorCalls.receive($0, $1, $2, $3) }
        unsafe common.getPollHandles = { unsafe DescriptorCalls.pollHandles($0, $1, $2) }
        unsafe common.finalize = { _ in }
        unsafe common.cancel = { _ in DescriptorCalls.notSupported }
        unsafe common.setLocality = { _, _ in DescriptorCalls.notSupported }
    }
}

/// The functions that the library calls.
private enum DescriptorCalls {
    /// A response's tag, size and code; the size, most significant byte first, stands behind the tag.
    private static let headSize = 10
    /// How long the rest of a command or response may take once it has begun: milliseconds.
    private static let pieceTimeout: CInt = 2_000

    private static let ioError: UInt32 = 0x000a_000a
    private static let tryAgain: UInt32 = 0x000a_0009
    static let notSupported: UInt32 = 0x000a_0002
    private static let malformed: UInt32 = 0x000a_0010

    private static func number(_ context: OpaquePointer?) -> CInt {
        guard let context = unsafe context else { return -1 }
        return unsafe UnsafeMutablePointer<DescriptorTransport>(context).pointee.descriptor
    }

    static func transmit(_ context: OpaquePointer?, _ size: Int, _ command: UnsafePointer<UInt8>?) -> UInt32 {
        guard let command = unsafe command else { return ioError }
        let number = unsafe number(context)
        var sent = 0
        while sent < size {
            var count = unsafe send(number, command + sent, size - sent, CInt(MSG_NOSIGNAL))
            if count < 0, errno == ENOTSOCK { count = unsafe write(number, command + sent, size - sent) }
            if count > 0 {
                sent += count
            } else if !mayRepeat(number, Int16(POLLOUT)) {
                return ioError
            }
        }
        return 0
    }

    static func receive(
        _ context: OpaquePointer?, _ size: UnsafeMutablePointer<Int>?, _ response: UnsafeMutablePointer<UInt8>?,
        _ timeout: Int32
    ) -> UInt32 {
        guard let size = unsafe size else { return ioError }
        // The library asks for the size alone before it has room; it has room for the largest.
        guard let response = unsafe response else {
            unsafe size.pointee = 4096
            return 0
        }
        let number = unsafe number(context)
        var handle = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&handle, 1, timeout) > 0 else { return tryAgain }
        var (got, wanted) = (0, headSize)
        while got < wanted {
            let count = unsafe read(number, response + got, size.pointee - got)
            if count > 0 {
                got += count
                if got >= headSize { wanted = (2..<6).reduce(0) { unsafe $0 << 8 | Int(response[$1]) } }
                guard wanted >= headSize, unsafe wanted <= size.pointee else { return malformed }
            } else if count == 0 || !mayRepeat(number, Int16(POLLIN)) {
                return ioError
            }
        }
        unsafe size.pointee = got
        return 0
    }

    /// Whether a failed call may be made again: it was interrupted, or the event that it waits for has come.
    private static func mayRepeat(_ number: CInt, _ events: Int16) -> Bool {
        if errno == EINTR { return true }
        guard errno == EAGAIN else { return false }
        var handle = pollfd(fd: number, events: events, revents: 0)
        return unsafe poll(&handle, 1, pieceTimeout) > 0
    }

    static func pollHandles(
        _ context: OpaquePointer?, _ handles: UnsafeMutablePointer<pollfd>?, _ count: UnsafeMutablePointer<Int>?
    ) -> UInt32 {
        if let handles = unsafe handles {
            let number = unsafe number(context)
            unsafe handles.pointee = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
        }
        unsafe count?.pointee = 1
        return 0
    }
}
