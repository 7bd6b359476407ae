package import KeychainModel
package import KeychainWire
package import LinuxSystem

// Types that the wire has for other purposes too.
extension AuthenticationCapabilities: EnclaveMessage {}
extension AuthenticationContext: EnclaveMessage {}
extension AuthenticationResult: EnclaveMessage {}
extension DeviceDetails: EnclaveMessage {}
extension DeviceSettings: EnclaveMessage {}
extension EnclaveStatus: EnclaveMessage {}
extension SealedKey: EnclaveMessage {}
extension StoreAge: EnclaveMessage {}
extension StoreMark: EnclaveMessage {}

extension CredentialKind: EnclaveMessage {
    package func append(to buffer: SecretBuffer) { buffer.append(rawValue) }
}

/// A body without a byte.
package struct EmptyMessage: EnclaveMessage, Sendable {
    init() {}
    package init(from reader: inout WireReader) {}
    package func append(to buffer: SecretBuffer) {}
}

/// A body that is one run of bytes, none of them secret.
package struct BytesMessage: EnclaveMessage, Sendable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(from reader: inout WireReader) throws(Refusal) { bytes = try reader.array(reader.remaining) }
    package func append(to buffer: SecretBuffer) { buffer.append(bytes.span) }
}

/// A body that is one secret.
package struct SecretMessage: EnclaveMessage {
    let secret: SecretBytes

    init(_ secret: SecretBytes) { self.secret = secret }
    package init(from reader: inout WireReader) throws(Refusal) { secret = try reader.secret(reader.remaining) }
    package func append(to buffer: SecretBuffer) { secret.withSpan { buffer.append($0) } }
}

/// key:32 wrapped:60
package struct MadeMetadataKey: EnclaveMessage {
    let key: SecretBytes
    let wrapped: [UInt8]
}

extension MadeMetadataKey {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            key: try reader.secret(RowKeyRecord.keyBytes), wrapped: try reader.array(RowKeyRecord.wrappedBytes))
    }

    package func append(to buffer: SecretBuffer) {
        key.withSpan { buffer.append($0) }
        buffer.append(wrapped.span)
    }
}

/// [context] flags:u64 row:16 key:32
package struct GuardedKeyWrapping: EnclaveMessage {
    let context: AuthenticationContext?
    let flags: UInt64
    let row: [UInt8]
    let key: SecretBytes
}

extension GuardedKeyWrapping {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), flags: try reader.integer(UInt64.self),
            row: try reader.array(RowKeyRecord.rowBytes), key: try reader.secret(RowKeyRecord.keyBytes))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(littleEndian: flags)
        buffer.append(row.span)
        key.withSpan { buffer.append($0) }
    }
}

/// [context] row:16 guardedRowKey:bytes
package struct GuardedKeyOpening: EnclaveMessage {
    let context: AuthenticationContext?
    let row: [UInt8]
    let wrapped: [UInt8]
}

extension GuardedKeyOpening {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            context: try reader.context(), row: try reader.array(RowKeyRecord.rowBytes),
            wrapped: try reader.bytes(atMost: GuardedRowKey.mostBytes))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        buffer.append(row.span)
        buffer.append(bytes: wrapped.span)
    }
}

/// milliseconds:u32 task
package struct TimedTask: EnclaveMessage {
    let milliseconds: UInt32
    let task: AuthenticationTask
}

extension TimedTask {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(milliseconds: try reader.integer(UInt32.self), task: try AuthenticationTask(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: milliseconds)
        task.append(to: buffer)
    }
}

/// slot:u8 credential:u8
package struct SlotAddition: EnclaveMessage {
    let slot: UnlockSlot.Kind
    let credential: CredentialKind
}

extension SlotAddition {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(slot: try UnlockSlot.Kind(from: &reader), credential: try CredentialKind(from: &reader))
    }

    package func append(to buffer: SecretBuffer) { buffer.append([slot.rawValue, credential.rawValue].span) }
}

/// number:u8 credential:u8
package struct SlotRemoval: EnclaveMessage {
    let number: UInt8
    let credential: CredentialKind
}

extension SlotRemoval {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(number: try reader.integer(UInt8.self), credential: try CredentialKind(from: &reader))
    }

    package func append(to buffer: SecretBuffer) { buffer.append([number, credential.rawValue].span) }
}

/// credential:u8 recovery
package struct RecoverySetting: EnclaveMessage {
    let recipients: RecoveryTexts
    let credential: CredentialKind
}

extension RecoverySetting {
    package init(from reader: inout WireReader) throws(Refusal) {
        let credential = try CredentialKind(from: &reader)
        self.init(recipients: try RecoveryTexts(from: &reader), credential: credential)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(credential.rawValue)
        recipients.append(to: buffer)
    }
}

/// beginsBlock:u8 [mark]
package struct MarkRenewal: EnclaveMessage {
    let mark: StoreMark?
    let beginsBlock: Bool
}

extension MarkRenewal {
    package init(from reader: inout WireReader) throws(Refusal) {
        let beginsBlock = try reader.integer(UInt8.self) != 0
        self.init(mark: reader.isAtEnd ? nil : try StoreMark(from: &reader), beginsBlock: beginsBlock)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(beginsBlock ? 1 : 0)
        mark?.append(to: buffer)
    }
}
