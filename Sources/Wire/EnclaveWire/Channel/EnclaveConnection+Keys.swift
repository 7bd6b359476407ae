package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Sealed keys through the channel.
extension EnclaveConnection {
    package func makeKey(_ binding: KeyBinding, in context: AuthenticationContext?) throws(Refusal) -> SealedKey {
        try SealedKey(decoding: try call(.makeKey, in: context) { binding.append(to: $0) })
    }

    package func importKey(
        _ key: SecretBytes, type: UInt8, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        let answer = try call(.importKey, in: context) { body in
            body.append(type)
            binding.append(to: body)
            key.withSpan { body.append(bytes: $0) }
        }
        return try SealedKey(decoding: answer)
    }

    package func useKey(
        _ key: SealedKey, _ use: KeyUse, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        try use.checkSize()
        return try call(.useKey, in: context) { body in
            key.append(to: body)
            use.append(to: body)
        }
    }

    package func checkKey(_ key: SealedKey) throws(Refusal) {
        _ = try call(EnclaveCall(.checkKey)) { key.append(to: $0) }
    }

    package func rebindKey(
        _ key: SealedKey, to binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> SealedKey {
        let answer = try call(.rebindKey, in: context) { body in
            key.append(to: body)
            binding.append(to: body)
        }
        return try SealedKey(decoding: answer)
    }

    private func call(
        _ operation: EnclaveOperation, in context: AuthenticationContext?, _ write: (SecretBuffer) -> Void
    ) throws(Refusal) -> SecretBytes {
        try call(EnclaveCall(operation)) { body in
            context.append(to: body)
            write(body)
        }
    }
}
