import KeychainModel
package import KeychainPolicy
package import KeychainWire

/// Making and using keys that only the enclave sees. May take as long as a TPM takes.
extension KeychainEngine {
    /// Answers a key request into `writer`.
    package func key(_ request: KeyRequest, from caller: CallerIdentity, id: UInt32, into writer: ResponseWriter) {
        do throws(Refusal) {
            let reply = try perform(try AccessPolicy.authorize(request, from: caller))
            writer.answer(id) { reply.append(to: $0) }
        } catch { writer.refuse(error, id: id) }
    }

    private func perform(_ authorized: AuthorizedKeyRequest) throws(Refusal) -> KeyReply {
        switch authorized.request {
        case .make(let binding): .key(try enclave.makeKey(binding))
        case .use(let key, let use): .output(try enclave.useKey(key, use))
        }
    }
}
