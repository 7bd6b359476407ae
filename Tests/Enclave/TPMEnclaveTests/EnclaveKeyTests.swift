import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// The enclave's own keys on a device with a TPM.
struct EnclaveKeyTests {
    let device: TPMDevice
    let folder: TemporaryDirectory
    /// `kSecAccessControlPrivateKeyUsage`.
    private let binding = KeyBinding(group: "group", accessibility: .whenUnlocked, control: 1 << 30)

    init() throws {
        device = try TPMDevice()
        folder = try TemporaryDirectory()
    }

    /// Signs, and lets openssl verify.
    private func signs(_ key: SealedKey, _ enclave: SoftwareEnclave) throws -> Bool {
        let digest = Randomness.bytes(32)
        let use = KeyUse("algid:sign:ECDSA:digest-RFC4754:SHA256", digest)
        let signature = try enclave.useKey(key, use).withSpan { $0.array(0, $0.count) }
        let file = folder.file("public")
        try AtomicFile.replace(file, with: (OpenSSL.publicKeyPrefix + key.publicKey).span)
        return try OpenSSL(folder).verifies(signature, of: digest, file)
    }

    private static func nothing() throws -> FileDescriptor { try PasscodeFile.make(SecretBytes(count: 0)) }

    @Test(
        "keys are made where the device key is, and work after every move as long as their TPM is there",
        .rule("keys.enclave.tpm"))
    func moves() throws {
        let keys: [SealedKey]
        do {
            let enclave = try device.start(preferring: .software)
            let inSoftware = try enclave.makeKey(binding)
            #expect(inSoftware.backend == .software)
            try enclave.move(to: .tpm, passcode: Self.nothing())
            let inTPM = try enclave.makeKey(binding)
            #expect(inTPM.backend == .tpm)
            keys = [inSoftware, inTPM]
            for key in keys { #expect(try signs(key, enclave)) }
            try enclave.move(to: .software, passcode: Self.nothing())
            for key in keys { #expect(try signs(key, enclave)) }
            #expect(try enclave.makeKey(binding).backend == .software)
        }
        let without = try device.startWithoutTPM()
        #expect(try signs(keys[0], without))
        let refused = try #require(refusal { _ = try signs(keys[1], without) })
        #expect(refused.status == .notAvailable)
        #expect(refused.problem.contains("TPM"))
    }

    @Test("locking forgets the keys that stay loaded in the TPM, and unlocking uses them again")
    func lock() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(binding)
        #expect(try signs(key, enclave))
        try enclave.setPasscode(TPMDevice.passcode("right"))
        try enclave.lock()
        #expect(refusal { _ = try signs(key, enclave) }?.status == .interactionNotAllowed)
        try enclave.unlock(passcode: TPMDevice.passcode("right"))
        #expect(try signs(key, enclave))
    }
}
