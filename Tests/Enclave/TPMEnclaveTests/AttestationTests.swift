import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import SecurityCommands
@testable import TPMEnclave

/// The TPM's statement about a key, verified by the shell script with openssl alone.
struct AttestationTests {
    let device: TPMDevice
    let folder: TemporaryDirectory
    private let binding = KeyBinding(group: "group", accessibility: .always, control: 1 << 30)
    private static let nonce = "00ff" + String(repeating: "5a", count: 30)

    init() throws {
        device = try TPMDevice()
        folder = try TemporaryDirectory()
    }

    private func attest(
        _ key: SealedKey, _ enclave: SoftwareEnclave, nonce: [UInt8] = [0, 0xff] + Array(repeating: 0x5a, count: 30)
    ) throws -> KeyAttestation {
        try KeyAttestation(decoding: try enclave.useKey(key, KeyUse(KeyUse.attestation, nonce)))
    }

    private func verify(
        _ attestation: KeyAttestation, nonce: String = nonce, fingerprint: String? = nil
    ) throws -> (code: CInt, text: String) {
        // Tests/Enclave/TPMEnclaveTests/ and this file's name.
        let root = "/" + "\(#filePath)".split(separator: "/").dropLast(4).joined(separator: "/")
        let place = folder.file("attestation")
        try AttestKey.save(attestation, to: place)
        let program = try RunningProgram(
            "/bin/sh", ["\(root)/scripts/verify-attestation", place, nonce] + (fingerprint.map { [$0] } ?? []))
        let text = try program.output.readText(400)
        return (program.waitForExit(), text)
    }

    @Test("a key made in the TPM is verified, by the fingerprint that was noted before and by no other")
    func verifies() throws {
        let enclave = try device.start()
        let attestation = try attest(try enclave.makeKey(binding), enclave)
        let noted = try verify(attestation)
        #expect(noted.code == 0)
        let fingerprint = try #require(noted.text.split(separator: "\n").last.map(String.init))
        #expect(fingerprint.count == 64)
        let second = try attest(try enclave.makeKey(binding), enclave)
        let verified = try verify(second, fingerprint: fingerprint)
        #expect(verified.code == 0)
        #expect(verified.text.hasPrefix("verified"))
        let other = String(fingerprint.dropLast()) + (fingerprint.hasSuffix("0") ? "1" : "0")
        #expect(try verify(second, fingerprint: other).code == 1)
    }

    @Test("an old nonce, another key, another description and any changed statement are refused")
    func refuses() throws {
        let enclave = try device.start()
        let sound = try attest(try enclave.makeKey(binding), enclave)
        let other = try attest(try enclave.makeKey(binding), enclave)
        #expect(try verify(sound, nonce: String(repeating: "11", count: 32)).code == 1)
        var forged: [KeyAttestation] = []
        func forge(_ change: (inout KeyAttestation) -> Void) {
            var copy = sound
            change(&copy)
            forged.append(copy)
        }
        forge { $0.keyPoint = other.keyPoint }
        forge { ($0.keyPoint, $0.key) = (other.keyPoint, other.key) }
        forge { $0.attestationPoint = other.keyPoint }
        // Claims that the key may leave; the name is another then.
        forge { $0.key[7] ^= 2 }
        forge { $0.attestationKey[5] ^= 1 }
        forge { $0.certification = $0.quote }
        forge { swap(&$0.certification, &$0.quote) }
        forge { $0.quote.attest[20] ^= 1 }
        forge { $0.certification.attest[0] ^= 1 }
        forge { $0.certification.signature[40] ^= 1 }
        for (index, attestation) in forged.enumerated() {
            #expect(try verify(attestation).code == 1, "forgery \(index)")
        }
        #expect(try verify(sound).code == 0)
    }

    @Test("a key in software, an imported one and a nonce of another size are refused")
    func notAttestable() throws {
        let enclave = try device.start(preferring: .software)
        let software = try enclave.makeKey(binding)
        #expect(refusal { _ = try attest(software, enclave) }?.status == .notAvailable)
        try enclave.move(to: .tpm, passcode: PasscodeFile.make(SecretBytes(count: 0)))
        #expect(refusal { _ = try attest(software, enclave) }?.status == .notAvailable)
        let key = try enclave.makeKey(binding)
        for count in [0, 33] {
            let nonce = [UInt8](repeating: 1, count: count)
            #expect(refusal { _ = try attest(key, enclave, nonce: nonce) }?.status == .param)
        }
    }
}
