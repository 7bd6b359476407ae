import EnclaveKeys
import Foundation
import KeychainTesting
import Security
import TestSupport
import Testing

typealias Signing = SecureEnclave.P256.Signing

@Suite("Signing with keys of the enclave in Swift's own shape")
struct SigningTests {
    private let keychain: TestKeychain
    private let message = Data("a challenge".utf8)

    init() throws { keychain = try TestKeychain() }

    @Test("A key signs from asynchronous code, and its public key verifies")
    func asynchronous() async throws {
        let message = message
        try await keychain.run {
            let key = try await Signing.PrivateKey()
            let signature = try await key.signature(for: message)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(!key.publicKey.isValidSignature(signature, for: message + [0]))
            let other = try await Signing.PrivateKey()
            #expect(!other.publicKey.isValidSignature(signature, for: message))
        }
    }

    @Test("A key signs from synchronous code as with CryptoKit")
    func synchronous() throws {
        try keychain.run {
            let key = try Signing.PrivateKey()
            #expect(key.publicKey.isValidSignature(try key.signature(for: message), for: message))
        }
    }

    @Test("A key is taken up again by its data representation")
    func dataRepresentation() throws {
        try keychain.run {
            let key = try Signing.PrivateKey()
            let again = try Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
            #expect(again.publicKey == key.publicKey)
            #expect(key.publicKey.isValidSignature(try again.signature(for: message), for: message))
        }
    }

    @Test("the data representation does not contain what another program could use", .rule("keys.enclave.data"))
    func otherProgram() throws {
        let key = try keychain.run { try Signing.PrivateKey() }
        try keychain.program(accessGroups: ["OTHER.program"]).run {
            let stolen = try Signing.PrivateKey(dataRepresentation: key.dataRepresentation)
            let error = #expect(throws: EnclaveKeyError.self) { try stolen.signature(for: message) }
            #expect(error?.status == errSecMissingEntitlement)
        }
    }

    @Test("Another device cannot use the data representation")
    func otherDevice() throws {
        let key = try keychain.run { try Signing.PrivateKey() }
        try TestKeychain().run {
            let error = #expect(throws: EnclaveKeyError.self) {
                try Signing.PrivateKey(dataRepresentation: key.dataRepresentation).signature(for: message)
            }
            #expect(error?.status != errSecSuccess)
        }
    }

    @Test("On a locked device the key refuses and says so")
    func locked() throws {
        let key = try keychain.run { try Signing.PrivateKey() }
        try keychain.device.setPasscode("1234")
        try keychain.device.lock()
        keychain.run {
            let error = #expect(throws: EnclaveKeyError.self) { try key.signature(for: message) }
            #expect(error?.status == errSecInteractionNotAllowed)
        }
    }

    @Test(
        "What is no key is refused",
        arguments: [Data(), Data([1]), Data(repeating: 0, count: 200), Data("-----BEGIN".utf8)])
    func malformed(_ bytes: Data) throws {
        keychain.run {
            let error = #expect(throws: EnclaveKeyError.self) { try Signing.PrivateKey(dataRepresentation: bytes) }
            #expect(error?.status == errSecParam)
        }
    }

    @Test("Both forms of a signature say the same, and others are refused")
    func signatureForms() throws {
        let signature = try keychain.run { try Signing.PrivateKey().signature(for: message) }
        #expect(try Signing.ECDSASignature(derRepresentation: signature.derRepresentation) == signature)
        #expect(try Signing.ECDSASignature(rawRepresentation: signature.rawRepresentation) == signature)
        #expect(throws: EnclaveKeyError.self) { try Signing.ECDSASignature(rawRepresentation: Data(count: 63)) }
        #expect(throws: EnclaveKeyError.self) {
            try Signing.ECDSASignature(derRepresentation: signature.derRepresentation + [0])
        }
    }
}

@Suite("Public keys in all their forms")
struct PublicKeyFormTests {
    private let key: Signing.PublicKey

    init() throws { key = try TestKeychain().run { try Signing.PrivateKey().publicKey } }

    @Test("Every form leads back to the same key")
    func roundTrips() throws {
        #expect(key.rawRepresentation.count == 64)
        #expect(key.x963Representation == [4] + key.rawRepresentation)
        #expect(try Signing.PublicKey(rawRepresentation: key.rawRepresentation) == key)
        #expect(try Signing.PublicKey(x963Representation: key.x963Representation) == key)
        #expect(try Signing.PublicKey(derRepresentation: key.derRepresentation) == key)
        #expect(try Signing.PublicKey(pemRepresentation: key.pemRepresentation) == key)
    }

    @Test("What is not a point on the curve is refused in every form")
    func notOnCurve() {
        var point = key.x963Representation
        point[40] ^= 1
        let (raw, der) = (point.dropFirst(), key.derRepresentation.dropLast(65) + point)
        #expect(throws: EnclaveKeyError.self) { try Signing.PublicKey(x963Representation: point) }
        #expect(throws: EnclaveKeyError.self) { try Signing.PublicKey(rawRepresentation: raw) }
        #expect(throws: EnclaveKeyError.self) { try Signing.PublicKey(derRepresentation: der) }
        #expect(throws: EnclaveKeyError.self) { try Signing.PublicKey(derRepresentation: key.derRepresentation + [0]) }
        #expect(throws: EnclaveKeyError.self) { try Signing.PublicKey(pemRepresentation: "-----BEGIN PUBLIC KEY-----") }
    }

    @Test("OpenSSL verifies a signature with the key's PEM", .rule("keys.public.pem"))
    func openssl() throws {
        let folder = try TemporaryDirectory()
        let (message, keychain) = (Data("a challenge".utf8), try TestKeychain())
        let (key, signature) = try keychain.run {
            let key = try Signing.PrivateKey()
            return (key, try key.signature(for: message))
        }
        let files = URL(filePath: folder.path)
        try Data(key.publicKey.pemRepresentation.utf8).write(to: files.appending(path: "key.pem"))
        try signature.derRepresentation.write(to: files.appending(path: "signature"))
        try message.write(to: files.appending(path: "message"))
        #expect(try verified(in: folder.path))
        try (message + [1]).write(to: files.appending(path: "message"))
        #expect(try !verified(in: folder.path))
    }

    private func verified(in folder: String) throws -> Bool {
        let arguments = ["dgst", "-sha256", "-verify", "key.pem", "-signature", "signature", "message"]
        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = ["openssl"] + arguments
        openssl.currentDirectoryURL = URL(filePath: folder)
        openssl.standardOutput = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()
        return openssl.terminationStatus == 0
    }
}
