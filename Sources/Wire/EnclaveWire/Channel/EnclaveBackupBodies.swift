package import KeychainModel
package import KeychainWire
package import LinuxSystem

extension OpenedBackup: EnclaveMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            ticket: try reader.array(BackupTicket.bytes), header: try reader.bytes(atMost: BackupFraming.headerBytes))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        buffer.append(bytes: header.span)
    }
}

/// credential:u8 hasShelves:u8
package struct BackupStartMessage: EnclaveMessage {
    let kind: CredentialKind
    let hasShelves: Bool
}

extension BackupStartMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(kind: try CredentialKind(from: &reader), hasShelves: try reader.integer(UInt8.self) != 0)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(kind.rawValue)
        buffer.append(hasShelves ? 1 : 0)
    }
}

/// kind:u8 header:bytes
package struct BackupHeaderMessage: EnclaveMessage {
    let kind: BackupCredential
    let header: [UInt8]
}

extension BackupHeaderMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            kind: try BackupCredential(from: &reader), header: try reader.bytes(atMost: BackupFraming.headerBytes))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(kind.rawValue)
        buffer.append(bytes: header.span)
    }
}

/// ticket:16 kind:u8 index:u32
package struct BackupKeyMessage: EnclaveMessage {
    let ticket: [UInt8]
    let kind: BackupFraming.Kind
    let index: UInt32
}

extension BackupKeyMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        let ticket = try reader.array(BackupTicket.bytes)
        guard let kind = BackupFraming.Kind(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("the kind of a box")
        }
        self.init(ticket: ticket, kind: kind, index: try reader.integer(UInt32.self))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        buffer.append(kind.rawValue)
        buffer.append(littleEndian: index)
    }
}

/// ticket:16 row:16 guardedRowKey:bytes
package struct BackupRowMessage: EnclaveMessage {
    let ticket, row, wrapped: [UInt8]
}

extension BackupRowMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            ticket: try reader.array(BackupTicket.bytes), row: try reader.array(RowKeyRecord.rowBytes),
            wrapped: try reader.bytes(atMost: GuardedRowKey.mostBytes))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        buffer.append(row.span)
        buffer.append(bytes: wrapped.span)
    }
}

/// ticket:16 shelf
package struct BackupShelfMessage: EnclaveMessage {
    let ticket: [UInt8]
    let shelf: Shelf
}

extension BackupShelfMessage {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(ticket: try reader.array(BackupTicket.bytes), shelf: try Shelf(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(ticket.span)
        shelf.append(to: buffer)
    }
}
