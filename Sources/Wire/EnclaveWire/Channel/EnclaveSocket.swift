import KeychainWire
package import LinuxSystem

/// The socket to the enclave. It carries passcodes, as descriptors attached to the message. The end of the socket is
/// the end of the channel.
package struct EnclaveSocket: Sendable {
    package let socket: UnixSocket

    package init(_ socket: UnixSocket) { self.socket = socket }

    /// A message as it came.
    package struct Message {
        package let word: UInt32
        package let body: SecretBytes
        package let descriptors: [FileDescriptor]
    }

    /// Sends a message.
    ///
    /// - Throws: `SystemError` of `sendmsg`; `ETIMEDOUT` when the deadline passed first.
    package func send(
        _ word: UInt32, _ body: Span<UInt8>, attaching descriptors: [FileDescriptor] = [], deadline: Deadline
    ) throws(SystemError) {
        let message = SecretBuffer(capacity: EnclaveChannelFormat.headSize + body.count)
        message.append(littleEndian: UInt32(truncatingIfNeeded: body.count))
        message.append(littleEndian: word)
        message.append(body)
        try message.withSpan { (bytes) throws(SystemError) in
            try socket.sendFully(bytes, attaching: descriptors, deadline: deadline)
        }
    }

    /// Receives a message.
    ///
    /// - Returns: `nil` when the peer has gone or broke the format.
    /// - Throws: `SystemError` of `recvmsg`; `ETIMEDOUT` when the deadline passed first.
    package func receive(deadline: Deadline) throws(SystemError) -> Message? {
        let head = SecretBytes(count: EnclaveChannelFormat.headSize)
        guard let descriptors = try receive(head, deadline) else { return nil }
        let length = head.withSpan { Int($0.littleEndian(UInt32.self, at: 0)) }
        guard length <= EnclaveChannelFormat.bodyLimit else { return nil }
        let body = SecretBytes(count: length)
        let count = try body.withMutableSpan { (span) throws(SystemError) in
            try socket.receiveFully(into: &span, deadline: deadline)
        }
        guard count == length else { return nil }
        return Message(
            word: head.withSpan { $0.littleEndian(UInt32.self, at: 4) }, body: body, descriptors: descriptors)
    }

    // Descriptors come with the first byte of a message, and so with its head, which a unix socket does not split
    // because it was sent in one piece.
    private func receive(_ head: SecretBytes, _ deadline: Deadline) throws(SystemError) -> [FileDescriptor]? {
        try head.withMutableSpan { (span) throws(SystemError) in
            while true {
                try socket.descriptor.wait(for: .readable, deadline: deadline)
                guard let arrival = try socket.receiveAttached(into: &span) else { continue }
                return arrival.count == span.count ? arrival.descriptors : nil
            }
        }
    }
}
