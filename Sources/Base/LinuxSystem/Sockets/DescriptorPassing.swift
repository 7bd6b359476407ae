import CLinux
import Glibc

extension UnixSocket {
    /// The maximum number of descriptors in one message.
    package static let maximumDescriptors = Int(CLINUX_MAX_DESCRIPTORS)

    /// Sends all bytes, at least one, with descriptors attached to the first (SCM_RIGHTS); the peer gets duplicates.
    ///
    /// - Throws: `SystemError` of `sendmsg`: `EMSGSIZE` for more than ``maximumDescriptors``, `EINVAL` for no bytes,
    ///   `EPIPE` when the peer has closed; `ETIMEDOUT` when the deadline passed first.
    package func sendFully(
        _ span: Span<UInt8>, attaching descriptors: [FileDescriptor], deadline: Deadline
    ) throws(SystemError) {
        // The kernel would silently drop the descriptors of an empty message.
        guard !span.isEmpty else { throw SystemError(code: EINVAL, call: "sendmsg") }
        let numbers = descriptors.map(\.number)
        while true {
            let sent = try unsafe span.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try unlessBlocked("sendmsg") {
                    unsafe clinux_send_descriptors(
                        descriptor.number, bytes.baseAddress, bytes.count, numbers, numbers.count)
                }
            }
            if let sent { return try sendFully(span.extracting(sent...), deadline: deadline) }
            try descriptor.wait(for: .writable, deadline: deadline)
        }
    }

    /// The result of one receive: the number of bytes, the descriptors with them, and the sender.
    package struct Arrival {
        package let count: Int
        package let descriptors: [FileDescriptor]
        /// The process that sent all of it, as the kernel reports it. It is 0 where ``askForSenders()`` was not called,
        /// or where the sender is outside of this process namespace.
        package let sender: Int32
    }

    /// Receives available bytes, and the descriptors that came with them, in order.
    ///
    /// - Parameter takesDescriptors: false where none may come. Then none is opened, because closing a file can take as
    ///   long as the server of its file system wants. The socket must ask for senders.
    /// - Parameter adopt: takes ownership of each received descriptor.
    /// - Returns: `nil` when there is nothing yet; a count of 0 when the peer has closed.
    /// - Throws: `SystemError` of `recvmsg`: `EMSGSIZE`, with all descriptors closed, when a peer attached more than
    ///   ``maximumDescriptors`` or this process has too many open files.
    package func receiveAttached(
        into span: inout MutableSpan<UInt8>, takesDescriptors: Bool = true,
        adopting adopt: (CInt) -> FileDescriptor = { FileDescriptor(owning: $0) }
    ) throws(SystemError) -> Arrival? {
        // Nearly all messages carry none, and an array would be allocated for each.
        try unsafe withUnsafeTemporaryAllocation(of: CInt.self, capacity: Int(CLINUX_DESCRIPTOR_ROOM)) {
            (numbers) throws(SystemError) in
            var (attached, sender, isWhole) = (0, Int32(0), true)
            let count = try unsafe span.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
                try unlessBlocked("recvmsg") {
                    unsafe clinux_receive_descriptors(
                        descriptor.number, bytes.baseAddress, bytes.count,
                        takesDescriptors ? Self.maximumDescriptors : 0, numbers.baseAddress, &attached, &sender,
                        &isWhole)
                }
            }
            guard let count else { return nil }
            let descriptors = unsafe numbers.prefix(attached).map(adopt)
            guard isWhole else { throw SystemError(code: EMSGSIZE, call: "recvmsg") }
            return Arrival(count: count, descriptors: descriptors, sender: sender)
        }
    }

    /// Whether the kernel reports senders. A connection inherits this from its listener; since Linux 6.16 a connection
    /// made before the listener was set does not.
    package var asksForSenders: Bool { clinux_asks_for_senders(descriptor.number) != 0 }

    /// Makes the kernel report the sending process of everything received here, or from connections accepted here.
    /// Processes other than its maker can own and use a connection after it was passed or inherited.
    ///
    /// - Throws: `SystemError` of `setsockopt`.
    package func askForSenders() throws(SystemError) {
        _ = try retrying("setsockopt") { clinux_ask_for_senders(descriptor.number) }
    }
}
