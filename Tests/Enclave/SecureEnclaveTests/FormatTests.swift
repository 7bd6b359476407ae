import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

/// An independent reader, written in another language from `docs/format-vault.md`, opens what the product has made.
struct FormatTests {
    private static let python = "/usr/bin/env"
    private static let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    private static let reader = "\(root)/Tests/Scripts/read_vault.py"

    private static var hasLibrary: Bool {
        let check = ["python3", "-c", "from cryptography.hazmat.primitives.kdf.argon2 import Argon2id"]
        return (try? RunningProgram(python, check).waitForExit()) == 0
    }

    let device = TestDevice()

    @Test(
        "the format is what docs/format-vault.md says",
        .enabled(if: hasLibrary, "needs Python's package cryptography, 44 or later"), arguments: Accessibility.allCases)
    func independentReader(_ accessibility: Accessibility) throws {
        let enclave = try device.start()
        let passcode: [UInt8] = accessibility == .whenUnlocked ? [] : [0, 255, 49, 50]
        if !passcode.isEmpty { try enclave.setPasscode(TestDevice.passcode(passcode)) }
        let row = try TestRow(accessibility, in: enclave)
        let metadata = try enclave.makeMetadataKey(for: accessibility)
        let reader = try RunningProgram(
            Self.python,
            [
                "python3", Self.reader, device.vault, hexadecimal(passcode), "\(accessibility.rawValue)",
                hexadecimal(row.identity), hexadecimal(row.wrapped), hexadecimal(metadata.wrapped),
            ])
        let output = try reader.output.readText(3 * 65)
        #expect(reader.waitForExit() == 0)
        let keys = try [enclave.indexKey(), row.key, metadata.key].map { key in
            key.withSpan { hexadecimal($0.array(0, 32)) }
        }
        #expect(output.split(separator: "\n").map(String.init) == keys)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}
