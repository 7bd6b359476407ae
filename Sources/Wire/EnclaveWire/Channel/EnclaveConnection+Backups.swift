package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Backups through the channel.
extension EnclaveConnection {
    package func beginBackup(
        by kind: CredentialKind, _ credential: FileDescriptor, _ passphrase: FileDescriptor, hasShelves: Bool
    ) throws(Refusal) -> OpenedBackup {
        let request = BackupStartMessage(kind: kind, hasShelves: hasShelves)
        return try send(EnclaveCalls.beginBackup, request, [credential, passphrase])
    }

    package func openBackup(
        _ header: [UInt8], with kind: BackupCredential, _ credential: FileDescriptor
    ) throws(Refusal) -> OpenedBackup {
        try send(EnclaveCalls.openBackup, BackupHeaderMessage(kind: kind, header: header), [credential])
    }

    package func backupKey(
        _ ticket: [UInt8], _ kind: BackupFraming.Kind, index: UInt32
    ) throws(Refusal) -> SecretBytes {
        try send(EnclaveCalls.backupKey, BackupKeyMessage(ticket: ticket, kind: kind, index: index)).key()
    }

    package func unwrapRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, inBackup ticket: [UInt8]
    ) throws(Refusal) -> SecretBytes {
        let request = BackupRowMessage(ticket: ticket, row: row, wrapped: wrapped)
        return try send(EnclaveCalls.unwrapForBackup, request, for: accessibility).key()
    }

    package func sealShelf(_ shelf: Shelf, forBackup ticket: [UInt8]) throws(Refusal) -> Shelf {
        try send(EnclaveCalls.sealShelfForBackup, BackupShelfMessage(ticket: ticket, shelf: shelf))
    }

    package func sealShelf(
        _ shelf: Shelf, fromBackup ticket: [UInt8], inPlaceOfDamaged isRepair: Bool
    ) throws(Refusal) -> Shelf {
        let request = BackupShelfMessage(ticket: ticket, shelf: shelf)
        return try send(isRepair ? EnclaveCalls.repairShelf : EnclaveCalls.sealShelfOfBackup, request)
    }

    package func endBackup(_ ticket: [UInt8]) throws(Refusal) {
        _ = try send(EnclaveCalls.endBackup, BytesMessage(ticket))
    }
}
