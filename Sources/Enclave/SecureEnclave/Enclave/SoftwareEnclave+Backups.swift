package import EnclaveWire
import KeychainBackup
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Backups: the file's key is made and kept here.
extension SoftwareEnclave {
    package func beginBackup(
        by kind: CredentialKind, _ credential: FileDescriptor, _ passphrase: FileDescriptor, hasShelves: Bool
    ) throws(Refusal) -> OpenedBackup {
        try requireUnlocked()
        let shown = try show(kind, credential)
        let (passphrase, keys) = (try readOptional(passphrase), BackupKeys())
        let code = shown?.kind == .recoveryCode ? shown?.bytes : nil
        do throws(CryptoError) {
            let slots = try slots(passphrase, code, holding: keys)
            guard !slots.isEmpty else { throw .invalidParameter }
            let header = try BackupHeader(slots, of: keys, hasShelves: hasShelves)
            let ticket = backups.withLock {
                $0.add(keys, of: header, shown: shown == nil ? [] : .passcode, at: clock.seconds())
            }
            return OpenedBackup(ticket: ticket, header: header.bytes)
        } catch { throw error == .invalidParameter ? .nothingOpensBackup : .crypto(error) }
    }

    private func slots(
        _ passphrase: SecretBytes?, _ code: SecretBytes?, holding keys: BackupKeys
    ) throws(CryptoError) -> [BackupSlot] {
        try stretching.withLock { (_) throws(CryptoError) in
            var slots: [BackupSlot] = []
            if let passphrase {
                slots.append(try BackupSlot(.passphrase, passphrase, cost: backupCost, holding: keys))
            }
            if let code { slots.append(try BackupSlot(.recoveryCode, code, cost: backupCost, holding: keys)) }
            return slots
        }
    }

    package func openBackup(
        _ header: [UInt8], with kind: BackupCredential, _ credential: FileDescriptor
    ) throws(Refusal) -> OpenedBackup {
        try requireUnlocked()
        let text = try read(credential)
        let secret = kind == .recoveryCode ? try Self.secret(ofCode: text) : text
        do throws(BackupProblem) {
            let found = try BackupHeader(decoding: header)
            let keys = try stretching.withLock { (_) throws(BackupProblem) in try found.open(kind, secret) }
            let ticket = backups.withLock { $0.add(keys, of: found, shown: nil, at: clock.seconds()) }
            return OpenedBackup(ticket: ticket, header: header)
        } catch { throw Refusal(error, credential: kind == .passphrase ? "passphrase" : "recovery code") }
    }

    package func backupKey(
        _ ticket: [UInt8], _ kind: BackupFraming.Kind, index: UInt32
    ) throws(Refusal) -> SecretBytes {
        try requireUnlocked()
        let box = BackupBox.Place(kind: kind, index: index)
        let keys = try backups.withLock { (backups) throws(Refusal) in try backups.keys(ticket, for: box) }
        do throws(CryptoError) { return try keys.key(of: box) } catch { throw .crypto(error) }
    }

    package func unwrapRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, inBackup ticket: [UInt8]
    ) throws(Refusal) -> SecretBytes {
        let shown = try factors(forBackup: try backup(ticket))
        let (inner, guarded) = try openBox(ofRow: row, wrapped, for: accessibility)
        guard AccessConstraint(flags: guarded.flags).isMetInBackup(by: shown) else { throw .guardedBeyondBackup }
        guard inner.count == RowKeyRecord.keyBytes else { throw .damagedKey }
        return inner
    }

    func backup(_ ticket: [UInt8]) throws(Refusal) -> OpenBackups.Entry {
        try backups.withLock { (backups) throws(Refusal) in try backups.entry(ticket) }
    }

    /// The factors that were shown for a backup that is being made.
    ///
    /// - Throws: `backup.not-under-way` for one that takes nothing any more.
    func factors(forBackup entry: OpenBackups.Entry) throws(Refusal) -> AuthenticationFactors {
        guard let shown = entry.factorsForRows(at: clock.seconds()) else { throw .noBackupUnderWay }
        return shown
    }

    package func endBackup(_ ticket: [UInt8]) throws(Refusal) { backups.withLock { $0.end(ticket) } }

    /// Refuses while the keychain is locked, also where the time without use has just run out.
    func requireUnlocked() throws(Refusal) {
        try withCipher(for: .whenUnlocked, orRefuse: .locked(.whenUnlocked)) { _ throws(CryptoError) in }
    }

    /// Has the keychain's credential shown; nil where none is set.
    ///
    /// - Returns: the credential; of a recovery code the secret that it encodes.
    private func show(_ kind: CredentialKind, _ file: FileDescriptor) throws(Refusal) -> Credential? {
        guard try status().passcodeIsSet else { return nil }
        let credential = Credential(kind, try read(file))
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscodeToShow }
            _ = try verify(credential, opening: &vault)
            try count(&vault)
        }
        guard kind == .recoveryCode else { return credential }
        return Credential(kind, try Self.secret(ofCode: credential.bytes))
    }

    private static func secret(ofCode text: SecretBytes) throws(Refusal) -> SecretBytes {
        do throws(RecoveryCode.Mistake) { return try RecoveryCode(text).secret } catch { throw .mistypedCode(error) }
    }

    /// - Returns: nil for an empty file.
    private func readOptional(_ file: FileDescriptor) throws(Refusal) -> SecretBytes? {
        let passphrase: SecretBytes
        do {
            let bytes = try PasscodeFile.read(
                file, limit: WireLimits.passcodeBytes, deadline: .after(milliseconds: Self.passcodeTimeout))
            guard bytes.count > 0 else { return nil }
            passphrase = bytes
        } catch { throw .unreadablePasscode(error) }
        guard passphrase.count >= Self.leastPassphrase else { throw .shortPassphrase }
        return passphrase
    }

    /// Bytes. A backup lies where nobody counts guesses.
    private static let leastPassphrase = 8

    private var backupCost: BackupCost {
        switch cost {
        case .calibrated: .calibrated
        case .cheapest: .least
        }
    }
}

extension Refusal {
    fileprivate static let shortPassphrase = Refusal(
        .param, .wrongValue, "passphrase",
        "The passphrase is shorter than 8 bytes, and nobody counts guesses at a file.",
        do: "Give a longer one: security generate --words 6 makes one.")

    fileprivate static let nothingOpensBackup = Refusal(
        .param, .contradiction, "passphrase", "Nothing would open the backup: there is no passphrase.",
        do: "Give a passphrase, or the keychain's recovery code (--recovery).")

    static let guardedBeyondBackup = Refusal(
        .authNeeded, .needsUser, "accc", "More than the keychain's password guards the item.",
        do: "Let the program that owns it store it again where it is needed.")
}
