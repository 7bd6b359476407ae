import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Answers the messages of a channel, by the table of ``EnclaveCalls``.
struct EnclaveDispatcher: Sendable {
    let session: EnclaveSession

    init(enclave: any EnclaveService) { session = EnclaveSession(enclave) }

    /// Answers a request into an empty buffer.
    ///
    /// - Returns: the word of the answer.
    func answer(
        _ word: UInt32, _ body: Span<UInt8>, descriptors: [FileDescriptor] = [], into answer: SecretBuffer
    ) -> UInt32 {
        do throws(Refusal) {
            let (operation, accessibility) = try EnclaveOperation.reading(word: word)
            guard descriptors.count == operation.descriptors else { throw .malformed("an enclave request") }
            try operation.perform(EnclaveInvocation(session, for: accessibility, files: descriptors), body, answer)
            return 0
        } catch {
            answer.removeAll()
            error.append(to: answer)
            return UInt32(bitPattern: error.status.rawValue)
        }
    }
}
