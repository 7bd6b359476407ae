package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// [context] binding
package struct KeyCreation: EnclaveMessage {
    let context: AuthenticationContext?
    let binding: KeyBinding
}

extension KeyCreation {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(context: try reader.context(), binding: try KeyBinding(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        binding.append(to: buffer)
    }
}

/// [context] keyType:u8 binding key:bytes
package struct KeyImport: EnclaveMessage {
    let context: AuthenticationContext?
    let type: UInt8
    let binding: KeyBinding
    let key: SecretBytes
}

extension KeyImport {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), type: try reader.integer(UInt8.self), binding: try KeyBinding(from: &reader),
            key: try reader.secret(atMost: KeyLimits.privateKeyBytes))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(type)
        binding.append(to: buffer)
        key.withSpan { buffer.append(bytes: $0) }
    }
}

/// [context] sealedKey use
package struct SealedKeyUse: EnclaveMessage {
    let context: AuthenticationContext?
    let key: SealedKey
    let use: KeyUse
}

extension SealedKeyUse {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), key: try SealedKey(from: &reader), use: try KeyUse(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        key.append(to: buffer)
        use.append(to: buffer)
    }
}

/// [context] sealedKey binding
package struct KeyRebinding: EnclaveMessage {
    let context: AuthenticationContext?
    let key: SealedKey
    let binding: KeyBinding
}

extension KeyRebinding {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), key: try SealedKey(from: &reader), binding: try KeyBinding(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        key.append(to: buffer)
        binding.append(to: buffer)
    }
}
