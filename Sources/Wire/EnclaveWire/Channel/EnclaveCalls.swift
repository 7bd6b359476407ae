package import KeychainModel
package import KeychainWire
import LinuxSystem

/// Every operation of the enclave's channel, each declared once. ``EnclaveService`` says what they do.
///
/// A number never changes and is never used again. A new operation is declared here and named in ``all``.
package enum EnclaveCalls {
    /// The first message on the socket, with the shared memory: version:u32 slots:u32 promptSlots:u32 slotSize:u32.
    package static let hello = EnclaveOperation(1, files: 1) { (_, _, _) throws(Refusal) in
        throw .malformed("the second hello of a channel")
    }

    package static let all: [EnclaveOperation] = [
        hello, status.operation, indexKey.operation, makeMetadataKey.operation, unwrapMetadataKey.operation,
        wrapRowKeys, unwrapRowKeys, lock.operation, unlock.operation, setPasscode.operation,
        changePasscode.operation, removePasscode.operation, makeKey.operation, importKey.operation,
        useKey.operation, checkKey.operation, rebindKey.operation, makeShelf.operation, makeFileKey.operation,
        unwrapFileKey.operation, rewrapFileKey.operation, moveToSoftware.operation, moveToTPM.operation,
        authenticate.operation, capabilities.operation, setCredential.operation, setTerminal.operation,
        invalidate.operation, wrapGuardedRowKey.operation, unwrapGuardedRowKey.operation, details.operation,
        unlockWith.operation, replacePasscode.operation, addSlot.operation, addSlotWith.operation,
        removeSlot.operation, changeSettings.operation, renewMark.operation, acceptStore.operation,
        beginBackup.operation, openBackup.operation, backupKey.operation, unwrapForBackup.operation,
        endBackup.operation, sealShelfForBackup.operation, sealShelfOfBackup.operation,
        repairShelf.operation,
        circle.operation, enterCircle.operation, takeBatch.operation, sealContent.operation,
        openContent.operation, boxBodies.operation, unboxBodies.operation, signBatch.operation, recordIDs.operation,
        boxShelves.operation, unboxShelves.operation, shelfCommitments.operation,
        makeGeneration.operation, shareGeneration.operation, addMachine.operation, removeMachine.operation,
        beginPairing.operation, showDigits.operation, answerPairing.operation, joinPairing.operation,
        finishPairing.operation, introduce.operation, addPaired.operation, leaveCircle.operation,
        setFileRecovery.operation, makeRecoveryKey.operation, forgetOffers.operation, offerBatch.operation,
        recoverCircle.operation, resetCircle.operation, seekKeys.operation,
    ]
}

// MARK: - Metadata keys and row keys

extension EnclaveCalls {
    package static let status = EnclaveCall<EmptyMessage, EnclaveStatus>(2) { (call, _) throws(Refusal) in
        try call.enclave.status()
    }

    /// → key:32.
    package static let indexKey = EnclaveCall<EmptyMessage, SecretMessage>(3) { (call, _) throws(Refusal) in
        SecretMessage(try call.enclave.indexKey())
    }

    /// class → key:32 wrapped:60.
    package static let makeMetadataKey = EnclaveCall<EmptyMessage, MadeMetadataKey>(4) { (call, _) throws(Refusal) in
        let (key, wrapped) = try call.enclave.makeMetadataKey(for: try call.requiredClass())
        return MadeMetadataKey(key: key, wrapped: wrapped)
    }

    /// class, wrapped:60 → key:32.
    package static let unwrapMetadataKey = EnclaveCall<BytesMessage, SecretMessage>(5) {
        (call, wrapped) throws(Refusal) in
        SecretMessage(try call.enclave.unwrapMetadataKey(wrapped.bytes, for: try call.requiredClass()))
    }

    /// class, *(key:32 row:16) → *wrapped:60.
    package static let wrapRowKeys = EnclaveOperation(6) { (call, rows, wrapped) throws(Refusal) in
        try call.enclave.wrapRowKeys(rows, for: try call.requiredClass(), into: wrapped)
    }

    /// *record:80 → *answer:33, see ``RowKeyRecord``.
    package static let unwrapRowKeys = EnclaveOperation(7) { (call, records, keys) throws(Refusal) in
        try call.enclave.unwrapRowKeys(records, into: keys)
    }

    /// class, [context] flags:u64 row:16 key:32 → guardedRowKey.
    package static let wrapGuardedRowKey = EnclaveCall<GuardedKeyWrapping, BytesMessage>(26) {
        (call, request) throws(Refusal) in
        BytesMessage(
            try call.enclave.wrapGuardedRowKey(
                request.key, row: request.row, for: try call.requiredClass(), flags: request.flags,
                in: request.context))
    }

    /// class, [context] row:16 guardedRowKey:bytes → key:32.
    package static let unwrapGuardedRowKey = EnclaveCall<GuardedKeyOpening, SecretMessage>(27) {
        (call, request) throws(Refusal) in
        SecretMessage(
            try call.enclave.unwrapGuardedRowKey(
                request.wrapped, row: request.row, for: try call.requiredClass(), in: request.context))
    }
}

// MARK: - Lock and passcode

extension EnclaveCalls {
    package static let lock = EnclaveCall<EmptyMessage, EmptyMessage>(8) { (call, _) throws(Refusal) in
        try call.enclave.lock()
        return EmptyMessage()
    }

    /// Files: the passcode.
    package static let unlock = EnclaveCall<EmptyMessage, EmptyMessage>(9, files: 1) { (call, _) throws(Refusal) in
        try call.enclave.unlock(passcode: call.files[0])
        return EmptyMessage()
    }

    /// Files: the new passcode.
    package static let setPasscode = EnclaveCall<EmptyMessage, EmptyMessage>(10, files: 1) {
        (call, _) throws(Refusal) in
        try call.enclave.setPasscode(call.files[0])
        return EmptyMessage()
    }

    /// Files: the old passcode, the new passcode.
    package static let changePasscode = EnclaveCall<EmptyMessage, EmptyMessage>(11, files: 2) {
        (call, _) throws(Refusal) in
        try call.enclave.changePasscode(from: call.files[0], to: call.files[1])
        return EmptyMessage()
    }

    /// Files: the old passcode.
    package static let removePasscode = EnclaveCall<EmptyMessage, EmptyMessage>(12, files: 1) {
        (call, _) throws(Refusal) in
        try call.enclave.removePasscode(call.files[0])
        return EmptyMessage()
    }

    /// Files: the passcode, or an empty file.
    package static let moveToSoftware = EnclaveCall<EmptyMessage, EmptyMessage>(20, files: 1) {
        (call, _) throws(Refusal) in
        try call.enclave.move(to: .software, passcode: call.files[0])
        return EmptyMessage()
    }

    /// Files: the passcode, or an empty file.
    package static let moveToTPM = EnclaveCall<EmptyMessage, EmptyMessage>(21, files: 1) { (call, _) throws(Refusal) in
        try call.enclave.move(to: .tpm, passcode: call.files[0])
        return EmptyMessage()
    }
}

// MARK: - Sealed keys

extension EnclaveCalls {
    /// [context] binding → sealedKey.
    package static let makeKey = EnclaveCall<KeyCreation, SealedKey>(13) { (call, request) throws(Refusal) in
        try call.enclave.makeKey(request.binding, in: request.context)
    }

    /// [context] keyType:u8 binding key:bytes → sealedKey.
    package static let importKey = EnclaveCall<KeyImport, SealedKey>(14) { (call, request) throws(Refusal) in
        try call.enclave.importKey(request.key, type: request.type, request.binding, in: request.context)
    }

    /// [context] sealedKey use → output.
    package static let useKey = EnclaveCall<SealedKeyUse, SecretMessage>(15) { (call, request) throws(Refusal) in
        SecretMessage(try call.enclave.useKey(request.key, request.use, in: request.context))
    }

    /// sealedKey → nothing.
    package static let checkKey = EnclaveCall<SealedKey, EmptyMessage>(16) { (call, key) throws(Refusal) in
        try call.enclave.checkKey(key)
        return EmptyMessage()
    }

    /// [context] sealedKey binding → sealedKey.
    package static let rebindKey = EnclaveCall<KeyRebinding, SealedKey>(17) { (call, request) throws(Refusal) in
        try call.enclave.rebindKey(request.key, to: request.binding, in: request.context)
    }
}

// MARK: - Protected files

extension EnclaveCalls {
    /// [context] protection:u8 binding → shelf.
    package static let makeShelf = EnclaveCall<ShelfCreation, Shelf>(28) { (call, request) throws(Refusal) in
        try call.enclave.makeShelf(request.protection, request.binding, in: request.context)
    }

    /// [context] file:16 shelf → slot key:32.
    package static let makeFileKey = EnclaveCall<FileKeyCreation, MadeFileKey>(29) { (call, request) throws(Refusal) in
        try call.enclave.makeFileKey(of: request.file, in: request.shelf, in: request.context)
    }

    /// [context] file:16 slot shelf → key:32.
    package static let unwrapFileKey = EnclaveCall<FileKeyOpening, SecretMessage>(30) {
        (call, request) throws(Refusal) in
        SecretMessage(
            try call.enclave.unwrapFileKey(
                request.slot, of: request.file, by: request.shelf, in: request.context))
    }

    /// [context] file:16 slot shelf shelf → slot, wrapped by the second shelf.
    package static let rewrapFileKey = EnclaveCall<FileKeyRewrapping, FileSlot>(31) { (call, request) throws(Refusal) in
        let opening = request.opening
        return try call.enclave.rewrapFileKey(
            opening.slot, of: opening.file, from: opening.shelf, to: request.target, in: opening.context)
    }
}

// MARK: - The user

extension EnclaveCalls {
    /// milliseconds:u32 task → ``AuthenticationResult``. It waits for a person, so that it goes through one of the
    /// ``EnclaveChannelFormat/promptSlots``.
    package static let authenticate = EnclaveCall<TimedTask, AuthenticationResult>(22) {
        (call, request) throws(Refusal) in
        let timeout = min(request.milliseconds, EnclaveChannelFormat.longestTimeout)
        return try call.session.authenticate(request.task, by: .after(milliseconds: Int(timeout)))
    }

    package static let capabilities = EnclaveCall<EmptyMessage, AuthenticationCapabilities>(23) {
        (call, _) throws(Refusal) in
        try call.enclave.capabilities()
    }

    /// context → nothing. Files: the application password.
    package static let setCredential = EnclaveCall<AuthenticationContext, EmptyMessage>(24, files: 1) {
        (call, context) throws(Refusal) in
        try call.enclave.setCredential(call.files[0], in: context)
        return EmptyMessage()
    }

    /// context → nothing. Files: the terminal for the next ``authenticate`` of that context.
    package static let setTerminal = EnclaveCall<AuthenticationContext, EmptyMessage>(64, files: 1) {
        (call, context) throws(Refusal) in
        call.session.terminals.put(OpenedTerminal(call.files[0]), for: context)
        return EmptyMessage()
    }

    /// context → nothing.
    package static let invalidate = EnclaveCall<AuthenticationContext, EmptyMessage>(25) {
        (call, context) throws(Refusal) in
        try call.enclave.invalidate(context)
        return EmptyMessage()
    }
}

// MARK: - Slots, settings and the age of the store

extension EnclaveCalls {
    package static let details = EnclaveCall<EmptyMessage, DeviceDetails>(40) { (call, _) throws(Refusal) in
        try call.enclave.details()
    }

    /// credential:u8 → nothing. Files: the credential.
    package static let unlockWith = EnclaveCall<CredentialKind, EmptyMessage>(41, files: 1) {
        (call, kind) throws(Refusal) in
        try call.enclave.unlock(with: kind, call.files[0])
        return EmptyMessage()
    }

    /// credential:u8 → nothing. Files: the credential, the new passcode.
    package static let replacePasscode = EnclaveCall<CredentialKind, EmptyMessage>(42, files: 2) {
        (call, kind) throws(Refusal) in
        try call.enclave.replacePasscode(with: call.files[1], by: kind, call.files[0])
        return EmptyMessage()
    }

    /// slot:u8 credential:u8 → nothing. Files: the credential.
    package static let addSlot = EnclaveCall<SlotAddition, EmptyMessage>(43, files: 1) {
        (call, request) throws(Refusal) in
        try call.enclave.addSlot(request.slot, nil, by: request.credential, call.files[0])
        return EmptyMessage()
    }

    /// slot:u8 credential:u8 → nothing. Files: the credential, and the other file that a slot of this kind takes.
    package static let addSlotWith = EnclaveCall<SlotAddition, EmptyMessage>(44, files: 2) {
        (call, request) throws(Refusal) in
        try call.enclave.addSlot(request.slot, call.files[1], by: request.credential, call.files[0])
        return EmptyMessage()
    }

    /// number:u8 credential:u8 → nothing. Files: the credential.
    package static let removeSlot = EnclaveCall<SlotRemoval, EmptyMessage>(45, files: 1) {
        (call, request) throws(Refusal) in
        try call.enclave.removeSlot(request.number, by: request.credential, call.files[0])
        return EmptyMessage()
    }

    package static let changeSettings = EnclaveCall<DeviceSettings, EmptyMessage>(46) {
        (call, settings) throws(Refusal) in
        try call.enclave.change(settings)
        return EmptyMessage()
    }

    /// credential:u8 recovery → nothing. Files: the credential.
    package static let setFileRecovery = EnclaveCall<RecoverySetting, EmptyMessage>(47, files: 1) {
        (call, request) throws(Refusal) in
        try call.enclave.setFileRecovery(request.recipients, by: request.credential, call.files[0])
        return EmptyMessage()
    }

    /// beginsBlock:u8 [mark] → ``StoreAge``.
    package static let renewMark = EnclaveCall<MarkRenewal, StoreAge>(50) { (call, request) throws(Refusal) in
        try call.enclave.renew(request.mark, beginsBlock: request.beginsBlock)
    }

    /// Files: the passcode, or an empty file. → ``StoreMark``.
    package static let acceptStore = EnclaveCall<EmptyMessage, StoreMark>(51, files: 1) { (call, _) throws(Refusal) in
        try call.enclave.acceptStore(call.files[0])
    }
}

// MARK: - Backups

extension EnclaveCalls {
    /// credential:u8 hasShelves:u8 → ticket:16 header:bytes. Files: the credential, the passphrase.
    package static let beginBackup = EnclaveCall<BackupStartMessage, OpenedBackup>(70, files: 2) {
        (call, request) throws(Refusal) in
        try call.enclave.beginBackup(
            by: request.kind, call.files[0], call.files[1], hasShelves: request.hasShelves)
    }

    /// kind:u8 header:bytes → ticket:16 header:bytes. Files: the backup's credential.
    package static let openBackup = EnclaveCall<BackupHeaderMessage, OpenedBackup>(71, files: 1) {
        (call, request) throws(Refusal) in
        try call.enclave.openBackup(request.header, with: request.kind, call.files[0])
    }

    /// ticket:16 kind:u8 index:u32 → key:32.
    package static let backupKey = EnclaveCall<BackupKeyMessage, SecretMessage>(72) { (call, request) throws(Refusal) in
        SecretMessage(try call.enclave.backupKey(request.ticket, request.kind, index: request.index))
    }

    /// class, ticket:16 row:16 guardedRowKey:bytes → key:32.
    package static let unwrapForBackup = EnclaveCall<BackupRowMessage, SecretMessage>(73) {
        (call, request) throws(Refusal) in
        SecretMessage(
            try call.enclave.unwrapRowKey(
                request.wrapped, row: request.row, for: try call.requiredClass(), inBackup: request.ticket))
    }

    /// ticket:16 → nothing.
    package static let endBackup = EnclaveCall<BytesMessage, EmptyMessage>(74) { (call, ticket) throws(Refusal) in
        try call.enclave.endBackup(ticket.bytes)
        return EmptyMessage()
    }

    /// ticket:16 shelf → shelf, sealed for the backup.
    package static let sealShelfForBackup = EnclaveCall<BackupShelfMessage, Shelf>(75) {
        (call, request) throws(Refusal) in
        try call.enclave.sealShelf(request.shelf, forBackup: request.ticket)
    }

    /// ticket:16 shelf → shelf, sealed for this enclave.
    package static let sealShelfOfBackup = EnclaveCall<BackupShelfMessage, Shelf>(76) {
        (call, request) throws(Refusal) in
        try call.enclave.sealShelf(request.shelf, fromBackup: request.ticket, inPlaceOfDamaged: false)
    }

    /// The same for a shelf that is damaged here: it has to have the id of its keys.
    package static let repairShelf = EnclaveCall<BackupShelfMessage, Shelf>(77) {
        (call, request) throws(Refusal) in
        try call.enclave.sealShelf(request.shelf, fromBackup: request.ticket, inPlaceOfDamaged: true)
    }
}
