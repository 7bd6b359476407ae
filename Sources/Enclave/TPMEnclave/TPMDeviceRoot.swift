package import EnclaveWire
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SecureEnclave

/// A device that a TPM makes unique: the device key never leaves the chip, and the chip counts wrong passcodes.
///
///     record = storageName:sized chipName:sized object          ; the device key: an HMAC key
///     lock   = object                                            ; 32 random bytes, sealed
///     sized  = length:u16 byte:length                            ; most significant byte first, as all the TPM writes
///
/// The device's secret is HMAC-SHA256 under the device key: an HMAC key is used through the chip and given out by none,
/// where a sealed secret would have been outside once. The names say which TPM it is: they are digests of public keys
/// that another chip, or a cleared one, cannot have.
package struct TPMDeviceRoot: DeviceRoot {
    private let tpm: TPM

    /// The material of the device's secret; the device key makes it this device's.
    private static let purpose = Array("keychain vault 2: device secret".utf8)

    package init(_ tpm: TPM) { self.tpm = tpm }

    package var kind: DeviceRootKind { .tpm }

    package var title: String? {
        (try? tpm.run { (connection) throws(TPMFailure) in try connection.title() }) ?? "TPM 2.0 (not answering)"
    }

    package var keyStore: (any EnclaveKeyStore)? { TPMKeyStore(tpm) }

    package func makeDevice() throws(Refusal) -> (record: SecretBytes, secret: SecretBytes) {
        let (record, secret) = try tpm.run { (connection) throws(TPMFailure) in
            let device = DeviceObject(
                storageName: connection.storageName, chipName: try connection.chipName(),
                object: try connection.create(ObjectTemplate.deviceKey))
            return (device, try connection.secret(of: device, Self.purpose))
        }
        tpm.expect(record.storageName)
        return (SecretBytes(copying: record.encoded.span), secret)
    }

    package func openDevice(_ record: SecretBytes) throws(Refusal) -> SecretBytes {
        let bytes = record.withSpan { $0.array(0, $0.count) }
        let (name, secret) = try tpm.run { (connection) throws(TPMFailure) in
            let device = try DeviceObject(bytes)
            try connection.check(device)
            return (device.storageName, try connection.secret(of: device, Self.purpose))
        }
        tpm.expect(name)
        return secret
    }

    package func makeLock(for key: SecretBytes) throws(Refusal) -> (record: [UInt8], secret: SecretBytes)? {
        let secret = SecretBytes(count: 32)
        secret.withMutableSpan { Randomness.fill(&$0) }
        let object = try tpm.run { (connection) throws(TPMFailure) in
            try connection.create(ObjectTemplate.sealedSecret, auth: key, sealing: secret)
        }
        return (object.encoded, secret)
    }

    package func openLock(_ record: [UInt8], with key: SecretBytes) throws(PasscodeLockFailure) -> SecretBytes {
        do throws(TPMFailure) {
            return try tpm.tryRun(repeating: false) { (connection) throws(TPMFailure) in
                var reader = RecordReader(record)
                let object = try TPMObject(from: &reader)
                let lock = try connection.loaded(object, auth: key)
                return try connection.unseal(lock.handle)
            }
        } catch {
            switch error {
            case .response(ResponseCode.authFail), .response(ResponseCode.badAuth): throw .wrongKey
            case .response(ResponseCode.lockout): throw .lockedOut(seconds: lockout)
            default: throw .refused(error.refusal(tpm.address))
            }
        }
    }

    package func counter(of vault: [UInt8], key: SecretBytes) -> (any RootCounter)? {
        TPMCounter(tpm: tpm, vault: vault, key: key)
    }

    package func remainingLockout() throws(Refusal) -> UInt32 {
        try tpm.run { (connection) throws(TPMFailure) in try connection.lockout() }
    }

    /// The TPM has just said that it is locked out.
    private var lockout: UInt32 { max(1, (try? remainingLockout()) ?? 1) }
}

/// The device key, and whose it is.
private struct DeviceObject {
    let storageName: [UInt8]
    /// Empty when the chip did not say.
    let chipName: [UInt8]
    let object: TPMObject

    init(storageName: [UInt8], chipName: [UInt8], object: TPMObject) {
        (self.storageName, self.chipName, self.object) = (storageName, chipName, object)
    }

    init(_ record: [UInt8]) throws(TPMFailure) {
        var reader = RecordReader(record)
        storageName = try reader.sized()
        chipName = try reader.sized()
        object = try TPMObject(from: &reader)
        guard reader.isAtEnd else { throw .malformed }
    }

    var encoded: [UInt8] { RecordReader.sized(storageName) + RecordReader.sized(chipName) + object.encoded }
}

extension TPMConnection {
    /// An identifier that tells this chip from any other, even after it was cleared; empty when its owner does not
    /// allow it.
    fileprivate func chipName() throws(TPMFailure) -> [UInt8] {
        do throws(TPMFailure) {
            let key = try loaded(.chipKey)
            return try name(of: key.handle)
        } catch {
            guard case .response = error else { throw error }
            return []
        }
    }

    /// Refuses another TPM than the one the record was made on.
    fileprivate func check(_ device: DeviceObject) throws(TPMFailure) {
        if device.storageName == storageName { return }
        let chip = try chipName()
        if chip.isEmpty || device.chipName.isEmpty { throw .otherTPM(.unknown) }
        throw .otherTPM(chip == device.chipName ? .cleared : .exchanged)
    }

    fileprivate func secret(of device: DeviceObject, _ purpose: [UInt8]) throws(TPMFailure) -> SecretBytes {
        let key = try loaded(device.object)
        return try hmac(purpose, with: key.handle)
    }
}
