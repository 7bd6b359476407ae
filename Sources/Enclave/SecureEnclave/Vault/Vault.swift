import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// What the enclave keeps: what the device key rests on, and the class keys wrapped under keys made from it and the passcode.
///
/// A vault in software is of version 1, with the device key in it. One on a TPM, or one that ever was moved, is of version 2:
/// it has the root's records, and the index key, which a store keeps for life (``encoded()`` has the grammar).
struct Vault: Sendable {
    static let firstVersion: UInt16 = 1
    static let movableVersion: UInt16 = 2

    let version: UInt16
    let identifier: [UInt8]
    let device: Device
    var passcode: PasscodeDerivation?
    var attempts = FailedAttempts()
    /// By class, in the order of `Accessibility`; empty for a key that does not exist.
    var wrappedKeys: [[UInt8]]
    /// Empty in version 1, which makes the index key from the device key.
    var wrappedIndexKey: [UInt8] = []

    /// The device key, and what the vault keeps of it.
    struct Device: Sendable {
        let kind: DeviceRootKind
        let record: SecretBytes
        let key: SecretBytes
    }

    var deviceKey: SecretBytes { device.key }

    /// A vault without a passcode and without class keys, which ``Keybag/sealed(in:_:)`` puts in.
    init(_ version: UInt16, identifier: [UInt8], on device: Device) {
        (self.version, self.identifier, self.device) = (version, identifier, device)
        wrappedKeys = Accessibility.allCases.map { _ in [] }
    }

    /// Makes the vault of a new keychain.
    ///
    /// - Throws: what the root refuses; `errSecInternalComponent` when the library fails.
    init(on root: any DeviceRoot) throws(Refusal) {
        let identifier = Randomness.bytes(16)
        guard root.kind != .software else {
            self.init(Self.firstVersion, identifier: identifier, on: try Device(on: root))
            return
        }
        self.init(Self.movableVersion, identifier: identifier, on: try Device(on: root))
        do { self = try keeping(indexKey: .randomKey()) } catch { throw .crypto(error) }
    }
}

extension Vault.Device {
    /// Makes a new one.
    init(on root: any DeviceRoot) throws(Refusal) {
        let (record, secret) = try root.makeDevice()
        self.init(kind: root.kind, record: record, key: secret)
    }
}

/// How the passcode becomes a key: the price of a guess, the salt that makes guesses good for one vault only, and the lock that
/// the device's root keeps.
struct PasscodeDerivation: Equatable, Sendable {
    let cost: Argon2id
    let salt: [UInt8]
    /// The root's record; empty where it has no locks.
    var lock: [UInt8] = []
}

extension Vault {
    /// What the passcode gives: `passcode key ‖ what is behind the lock`. Takes as long as a guess shall take.
    ///
    /// - Throws: what kept the lock shut.
    func passcodeSecret(
        _ passcode: SecretBytes, _ derivation: PasscodeDerivation, _ root: any DeviceRoot
    ) throws(PasscodeLockFailure) -> SecretBytes {
        let (key, lockKey) = try keys(passcode, derivation)
        if derivation.lock.isEmpty { return key }
        return key.joined(with: try root.openLock(derivation.lock, with: lockKey))
    }

    /// As ``passcodeSecret(_:_:_:)``, for a passcode that is being set: makes the lock.
    func makePasscodeSecret(
        _ passcode: SecretBytes, _ derivation: inout PasscodeDerivation, _ root: any DeviceRoot
    ) throws(PasscodeLockFailure) -> SecretBytes {
        let (key, lockKey) = try keys(passcode, derivation)
        do throws(Refusal) {
            guard let (record, secret) = try root.makeLock(for: lockKey) else { return key }
            derivation.lock = record
            return key.joined(with: secret)
        } catch { throw .refused(error) }
    }

    private func keys(
        _ passcode: SecretBytes, _ derivation: PasscodeDerivation
    ) throws(PasscodeLockFailure) -> (key: SecretBytes, lockKey: SecretBytes) {
        do throws(CryptoError) {
            let key = try passcode.withSpan { (passcode) throws(CryptoError) in
                try derivation.cost.derive(from: passcode, salt: derivation.salt.span, count: AESGCM.keySize)
            }
            return (key, try deriveKey(.lock, with: key))
        } catch { throw .refused(.crypto(error)) }
    }
}

extension SecretBytes {
    fileprivate func joined(with other: SecretBytes) -> SecretBytes {
        let buffer = SecretBuffer(capacity: count + other.count)
        for part in [self, other] { part.withSpan { buffer.append($0) } }
        return buffer.finish()
    }
}
