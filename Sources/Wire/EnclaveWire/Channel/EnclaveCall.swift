package import KeychainModel
import KeychainWire
package import LinuxSystem

/// One operation of the enclave's channel: its number, how many files travel with it, and the code that performs it.
package struct EnclaveOperation: Sendable {
    /// Reads the body of a request, calls the enclave and writes the body of the answer.
    package typealias Handler = @Sendable (EnclaveInvocation, Span<UInt8>, SecretBuffer) throws(Refusal) -> Void

    package let number: UInt8
    /// How many descriptors travel with the request.
    package let descriptors: Int
    package let perform: Handler

    init(_ number: UInt8, files: Int = 0, _ perform: @escaping Handler) {
        (self.number, descriptors, self.perform) = (number, files, perform)
    }

    /// The word of a request.
    ///
    /// - Parameter accessibility: the protection class of the request, if the operation takes one.
    package func word(for accessibility: Accessibility? = nil) -> UInt32 {
        UInt32(number) | UInt32(accessibility?.rawValue ?? 0) << 8 | UInt32(descriptors) << 16
    }

    private static let byNumber: [EnclaveOperation?] = {
        var table = [EnclaveOperation?](repeating: nil, count: 1 << 8)
        for operation in EnclaveCalls.all { table[Int(operation.number)] = operation }
        return table
    }()

    /// Reads the word of a request from a peer.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for an unknown operation or class, and for another number of
    ///   descriptors than the operation takes.
    package static func reading(
        word: UInt32
    ) throws(Refusal) -> (operation: EnclaveOperation, accessibility: Accessibility?) {
        let number = UInt8(truncatingIfNeeded: word >> 8)
        guard let operation = byNumber[Int(UInt8(truncatingIfNeeded: word))],
            number == 0 || Accessibility(rawValue: number) != nil, word >> 16 == operation.descriptors
        else { throw .malformed("the word of an enclave request") }
        return (operation, Accessibility(rawValue: number))
    }
}

/// One request as its handler sees it: the channel that it came through, and everything but its body.
package struct EnclaveInvocation {
    package let session: EnclaveSession
    package let accessibility: Accessibility?
    /// As many as ``EnclaveOperation/descriptors``.
    package let files: [FileDescriptor]

    package init(_ session: EnclaveSession, for accessibility: Accessibility?, files: [FileDescriptor]) {
        (self.session, self.accessibility, self.files) = (session, accessibility, files)
    }

    var enclave: any EnclaveService { session.enclave }

    /// The protection class of a request that must have one.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    func requiredClass() throws(Refusal) -> Accessibility {
        guard let accessibility else { throw .malformed("the class of an enclave request") }
        return accessibility
    }
}

/// An operation whose request and answer have types.
package struct EnclaveCall<Request: EnclaveMessage, Answer: EnclaveMessage>: Sendable {
    package let operation: EnclaveOperation

    init(
        _ number: UInt8, files: Int = 0,
        _ handler: @escaping @Sendable (EnclaveInvocation, Request) throws(Refusal) -> Answer
    ) {
        operation = EnclaveOperation(number, files: files) { (call, body, answer) throws(Refusal) in
            let request = try Request(decoding: SecretBytes(copying: body), "an enclave request")
            try handler(call, request).append(to: answer)
        }
    }
}
