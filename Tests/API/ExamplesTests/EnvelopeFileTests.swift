import Foundation
import KeychainExamples
import KeychainTesting
import Security
import TestSupport
import Testing

@Suite("A large file under a key in the keychain")
struct EnvelopeFileTests {
    private let keychain: TestKeychain
    private let folder: URL
    private let envelope = EnvelopeFile(keyName: "com.example.files")
    private let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.folder.appending(path: "files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try content.write(to: file("plain"))
    }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    @Test(
        "a file larger than any item is sealed and opened with a key from the keychain", .rule("items.value.envelope"))
    func roundTrip() throws {
        try keychain.run {
            try envelope.seal(file("plain"), to: file("sealed"))
            try envelope.open(file("sealed"), to: file("opened"))
        }
        #expect(try Data(contentsOf: file("opened")) == content)
        #expect(try Data(contentsOf: file("sealed")).range(of: content.prefix(1000)) == nil)
    }

    @Test("two files share one key, and without it neither opens", .rule("items.value.envelope"))
    func oneKey() throws {
        try keychain.run {
            try envelope.seal(file("plain"), to: file("one"))
            try envelope.seal(file("plain"), to: file("two"))
            #expect(envelope.destroyKey() == errSecSuccess)
            #expect(throws: EnvelopeFile.Failure.keychain(errSecItemNotFound)) {
                try envelope.open(file("one"), to: file("opened"))
            }
            try envelope.seal(file("plain"), to: file("three"))
            #expect(throws: EnvelopeFile.Failure.encryption(exitStatus: 2)) {
                try envelope.open(file("two"), to: file("opened"))
            }
        }
    }

    @Test("A sealed file that was changed does not open")
    func changed() throws {
        try keychain.run {
            try envelope.seal(file("plain"), to: file("sealed"))
            var sealed = try Data(contentsOf: file("sealed"))
            sealed[sealed.count / 2] ^= 1
            try sealed.write(to: file("sealed"))
            #expect(throws: EnvelopeFile.Failure.self) { try envelope.open(file("sealed"), to: file("opened")) }
        }
    }

    @Test("On a locked device the key is closed, and with it the file")
    func locked() throws {
        try keychain.run { try envelope.seal(file("plain"), to: file("sealed")) }
        try keychain.device.setPasscode("1234")
        try keychain.device.lock()
        #expect(throws: EnvelopeFile.Failure.keychain(errSecInteractionNotAllowed)) {
            try keychain.run { try envelope.open(file("sealed"), to: file("opened")) }
        }
    }
}
