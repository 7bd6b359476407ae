import KeychainTesting
import Security
import TestSupport
import Testing

/// The information that the files of a keychain reveal to an attacker.
@Suite("Files of a keychain")
struct StoredFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")

    @Test(
        "the store without the device's vault opens nothing, under no protection class",
        .rule("protection.device.bound"))
    func onAnotherDevice() throws {
        let other = FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
        defer { for each in [folder, other] { try? FileManager.default.removeItem(at: each) } }
        let codes = ["ak", "ck", "dk", "aku", "cku", "dku"]
        try TestKeychain(folder: folder).run {
            for code in codes {
                let item = genericPassword(code) + [kSecAttrAccessible: code, kSecValueData: Data("secret")]
                #expect(add(item) == errSecSuccess)
            }
        }
        try FileManager.default.copyItem(at: folder, to: other)
        try FileManager.default.removeItem(at: other.appending(path: "vault"))
        let stolen = try TestKeychain(folder: other)
        stolen.run {
            for code in codes {
                let found = find(genericPassword(code) + [kSecReturnData: true])
                #expect(found.status != errSecSuccess)
                #expect(found.object == nil)
            }
        }
        try TestKeychain(folder: folder).run {
            for code in codes { #expect(value(genericPassword(code)) == Data("secret")) }
        }
    }

    @Test("The files belong to their user alone", .rule("protection.storage.owner"))
    func permissions() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let keychain = try TestKeychain(folder: folder)
        keychain.run { #expect(add(genericPassword()) == errSecSuccess) }
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        for file in files + [folder] {
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect((mode ?? 0o777) & 0o077 == 0, "\(file.lastPathComponent)")
        }
    }
}
