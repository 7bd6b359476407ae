import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// A device without hardware: the device key lies in the vault's file, and the passcode's key alone opens what needs
/// it.
struct SoftwareRoot: DeviceRoot {
    var kind: DeviceRootKind { .software }
    var title: String? { nil }
    var keyStore: (any EnclaveKeyStore)? { nil }

    func makeDevice() throws(Refusal) -> (record: SecretBytes, secret: SecretBytes) {
        let key = SecretBytes.randomKey()
        return (key, key)
    }

    func openDevice(_ record: SecretBytes) throws(Refusal) -> SecretBytes {
        guard record.count == AESGCM.keySize else { throw .damagedVault }
        return record
    }

    func makeLock(for key: SecretBytes) throws(Refusal) -> (record: [UInt8], secret: SecretBytes)? { nil }

    func openLock(_ record: [UInt8], with key: SecretBytes) throws(PasscodeLockFailure) -> SecretBytes {
        throw .refused(.damagedVault)
    }

    func counter(of vault: [UInt8], key: SecretBytes) -> (any RootCounter)? { nil }

    func remainingLockout() throws(Refusal) -> UInt32 { 0 }
}
