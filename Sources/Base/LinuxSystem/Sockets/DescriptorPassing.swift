import CLinux
import Glibc

extension UnixSocket {
    /// The most descriptors one message carries.
    package static let maximumDescriptors = Int(CLINUX_MAX_DESCRIPTORS)

    /// Sends all bytes, at least one, with descriptors attached to the first (SCM_RIGHTS); the peer gets duplicates.
    ///
    /// - Throws: `SystemError` of `sendmsg`: `EMSGSIZE` for more than ``maximumDescriptors``, `EINVAL` for no bytes,
    ///   `EPIPE` when the peer has closed; `ETIMEDOUT` when the deadline passed first.
    package func sendFully(
        _ span: Span<UInt8>, attaching descriptors: [FileDescriptor], deadline: Deadline
    ) throws(SystemError) {
        // The kernel would drop the descriptors of an empty message without a word.
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

    /// What came at once: how many bytes, which descriptors with them, and from whom.
    package struct Arrival {
        package let count: Int
        package let descriptors: [FileDescriptor]
        /// The process that sent all of it, by the kernel's word; 0 where ``askForSenders()`` was not called, or the
        /// sender is outside our process namespace.
        package let sender: Int32
    }

    /// Receives what there is, and the descriptors that came with it, in order.
    ///
    /// - Parameter takesDescriptors: false where none may come: then none is opened, for to close a file can take as
    ///   long as whoever serves its file system likes. The socket must ask for senders.
    /// - Parameter adopt: takes over each that has come.
    /// - Returns: `nil` when there is nothing yet; a count of 0 when the peer has closed.
    /// - Throws: `SystemError` of `recvmsg`: `EMSGSIZE`, and everything attached is let go, when a peer attached more
    ///   than ``maximumDescriptors`` or this process has too many open files.
    package func receiveAttached(
        into span: inout MutableSpan<UInt8>, takesDescriptors: Bool = true,
        adopting adopt: (CInt) -> FileDescriptor = { FileDescriptor(owning: $0) }
    ) throws(SystemError) -> Arrival? {
        // Nearly all messages carry none, and a list would be made for each.
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

    /// Whether the kernel says who sends. A connection has it from its listener; since Linux 6.16 not one that was made
    /// before the listener was told.
    package var asksForSenders: Bool { clinux_asks_for_senders(descriptor.number) != 0 }

    /// Has the kernel say of everything that is received here, or from a connection that is accepted here, which
    /// process sent it: a connection can be handed over, inherited and written to by others than who made it.
    ///
    /// - Throws: `SystemError` of `setsockopt`.
    package func askForSenders() throws(SystemError) {
        _ = try retrying("setsockopt") { clinux_ask_for_senders(descriptor.number) }
    }
}
