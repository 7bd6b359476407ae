import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// From a credential to the key of a slot, and from that to the keybag key in it.
extension Vault {
    /// The key of a slot.
    ///
    /// - Parameter credential: the shown credential; nil for a slot that takes none.
    /// - Throws: the reason why the root's lock stayed shut. A wrong credential gives a key that opens nothing.
    func key(
        of slot: VaultSlot, _ credential: SecretBytes?, _ root: any DeviceRoot
    ) throws(PasscodeLockFailure) -> SecretBytes {
        try slotKey(slot, credential) { (lockKey) throws(PasscodeLockFailure) in
            slot.lock.isEmpty ? nil : try root.openLock(slot.lock, with: lockKey)
        }
    }

    /// The key of a slot that is being made, and with it the root's lock.
    func makeKey(
        of slot: inout VaultSlot, _ credential: SecretBytes?, _ root: any DeviceRoot
    ) throws(Refusal) -> SecretBytes {
        var lock: [UInt8] = []
        do throws(PasscodeLockFailure) {
            let key = try slotKey(slot, credential) { (lockKey) throws(PasscodeLockFailure) in
                do throws(Refusal) {
                    guard let made = try root.makeLock(for: lockKey) else { return nil }
                    lock = made.record
                    return made.secret
                } catch { throw .refused(error) }
            }
            slot.lock = lock
            return key
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            throw .damagedVault
        }
    }

    private func slotKey(
        _ slot: VaultSlot, _ credential: SecretBytes?,
        openLock: (SecretBytes) throws(PasscodeLockFailure) -> SecretBytes?
    ) throws(PasscodeLockFailure) -> SecretBytes {
        switch slot.kind {
        case .device, .tpm: try refusing { () throws(CryptoError) in try key(ofUnattended: slot) }
        case .recovery: try refusing { () throws(CryptoError) in try Self.recoveryKey(credential, slot.salt) }
        case .passcode, .tpmWithPIN: try guardedKey(slot, credential, openLock)
        }
    }

    /// The key of a slot that takes nothing to open.
    func key(ofUnattended slot: VaultSlot) throws(CryptoError) -> SecretBytes {
        guard slot.kind == .tpm else { return try deriveKey(.openKeybag) }
        return try deriveKey(.unattendedSlot, with: SecretBytes(copying: slot.salt.span))
    }

    /// Takes as long as a guess shall take.
    private func guardedKey(
        _ slot: VaultSlot, _ credential: SecretBytes?,
        _ openLock: (SecretBytes) throws(PasscodeLockFailure) -> SecretBytes?
    ) throws(PasscodeLockFailure) -> SecretBytes {
        guard let credential, let cost = slot.cost else { throw .wrongKey }
        let stretched = try refusing { () throws(CryptoError) in
            try credential.withSpan { (credential) throws(CryptoError) in
                try cost.derive(from: credential, salt: slot.salt.span, count: AESGCM.keySize)
            }
        }
        let lockKey = try refusing { () throws(CryptoError) in try deriveKey(.lock, with: stretched) }
        let behind = try openLock(lockKey)
        let secret = behind.map { stretched.joined(with: $0) } ?? stretched
        return try refusing { () throws(CryptoError) in
            try deriveKey(slot.kind == .passcode ? .passcodeKeybag : .pinSlot, with: secret)
        }
    }

    /// A recovery code has so many bits that the device's key adds nothing. Without that key, the slot survives a move.
    private static func recoveryKey(_ code: SecretBytes?, _ salt: [UInt8]) throws(CryptoError) -> SecretBytes {
        guard let code else { throw .invalidParameter }
        return try code.withSpan { (code) throws(CryptoError) in
            try HKDF.derive(
                from: code, salt: salt.span, info: Array(KeyPurpose.recoverySlot.rawValue.utf8).span,
                count: AESGCM.keySize)
        }
    }

    private func refusing<Result>(
        _ body: () throws(CryptoError) -> Result
    ) throws(PasscodeLockFailure) -> Result {
        do throws(CryptoError) { return try body() } catch { throw .refused(.crypto(error)) }
    }
}

// MARK: - The keybag key

extension Vault {
    /// The keybag key that is in a slot.
    ///
    /// - Throws: `CryptoError.authenticationFailed` when the key is wrong, in version 3; the versions before find out
    ///   when the class keys do not open.
    func keybagKey(in slot: VaultSlot, _ key: SecretBytes) throws(CryptoError) -> SecretBytes {
        guard version >= Self.slotVersion else { return key }
        let opened = SecretBytes(count: AESGCM.keySize)
        let cipher = try key.makeCipher()
        try opened.withMutableSpan { (span) throws(CryptoError) in
            try cipher.open(slot.wrappedKey.span, aad: WrappingBinding.slot(slot, of: self).span, into: &span)
        }
        return opened
    }

    /// The slot with the keybag key in it.
    func slot(_ slot: VaultSlot, holding keybagKey: SecretBytes, under key: SecretBytes) throws(CryptoError)
        -> VaultSlot
    {
        var slot = slot
        let cipher = try key.makeCipher()
        slot.wrappedKey = try keybagKey.withSpan { (bytes) throws(CryptoError) in
            try cipher.seal(bytes, aad: WrappingBinding.slot(slot, of: self).span)
        }
        return slot
    }
}

extension SecretBytes {
    fileprivate func joined(with other: SecretBytes) -> SecretBytes {
        let buffer = SecretBuffer(capacity: count + other.count)
        for part in [self, other] { part.withSpan { buffer.append($0) } }
        return buffer.finish()
    }
}
