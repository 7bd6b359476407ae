import KeychainModel
import LinuxSystem
import Testing

@testable import KeychainCrypto

@Suite("HPKE")
struct HPKETests {
    /// One message of RFC 9180, appendix A: base mode, sequence number 0.
    struct Vector: Sendable {
        let kem: HPKE.KEM
        let ephemeral, recipient, encapsulated, ciphertext: String

        static let info = bytes("4f6465206f6e2061204772656369616e2055726e")
        static let aad = bytes("436f756e742d30")
        static let content = bytes("4265617574792069732074727574682c20747275746820626561757479")

        // A.1.1 (DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM) and A.3.1 (P-256 in place of X25519).
        static let published = [
            Vector(
                kem: .x25519, ephemeral: "52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736",
                recipient: "4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8",
                encapsulated: "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
                ciphertext: """
                    f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a9\
                    6d8770ac83d07bea87e13c512a
                    """),
            Vector(
                kem: .p256, ephemeral: "4995788ef4b9d6132b249ce59a77281493eb39af373d236a1fe415cb0c2d7beb",
                recipient: "f3ce7fdae57e1a310d87f1ebbde6f328be0a99cdbcadf4d6589cf29de4b8ffd2",
                encapsulated: """
                    04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325\
                    ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4
                    """,
                ciphertext: """
                    5ad590bb8baa577f8619db35a36311226a896e7342a6d836d8b7bcd2f20b6c7f\
                    9076ac232e3ab2523f39513434
                    """),
        ]

        func key(_ digits: String) throws -> PrivateKey {
            switch kem {
            case .x25519: try PrivateKey(external: bytes(digits), type: .x25519)
            case .p256: try PrivateKey(scalar: bytes(digits), bits: 256)
            }
        }
    }

    @Test("RFC 9180: the published messages", arguments: Vector.published)
    func published(vector: Vector) throws {
        let (suite, recipient) = (HPKE(vector.kem, .aes128GCM), try vector.key(vector.recipient))
        let message = bytes(vector.encapsulated) + bytes(vector.ciphertext)
        let sealed = try suite.seal(
            content: Vector.content.span, to: recipient.publicKey, info: Vector.info.span, aad: Vector.aad.span,
            ephemeral: vector.key(vector.ephemeral))
        #expect(sealed == message)
        let opened = try suite.open(
            message: message.span, with: recipient, info: Vector.info.span, aad: Vector.aad.span)
        #expect(opened.array == Vector.content)
    }

    @Test("a message opens with its own key, info and associated data alone", arguments: [HPKE.KEM.x25519, .p256])
    func opening(kem: HPKE.KEM) throws {
        let suite = HPKE(kem)
        let (key, other) = (
            try PrivateKey.generate(kem.keyType, bits: 256), try PrivateKey.generate(kem.keyType, bits: 256)
        )
        let message = try suite.seal(content: [1, 2, 3].span, to: key.publicKey, info: [4].span, aad: [5].span)
        #expect(message.count == 3 + suite.overhead)
        #expect(try suite.open(message: message.span, with: key, info: [4].span, aad: [5].span).array == [1, 2, 3])
        let shared = try key.sharedX(with: suite.encapsulatedKey(of: message.span))
        #expect(
            try suite.open(
                message: message.span, sharedX: shared, recipient: key.publicKey, info: [4].span, aad: [5].span
            ).array == [1, 2, 3])
        for (info, aad) in [([4, 4], [5]), ([], [5]), ([4], []), ([5], [4])] as [([UInt8], [UInt8])] {
            #expect(throws: CryptoError.authenticationFailed) {
                try suite.open(message: message.span, with: key, info: info.span, aad: aad.span)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try suite.open(message: message.span, with: other, info: [4].span, aad: [5].span)
        }
        for place in message.indices {
            var changed = message
            changed[place] ^= 1
            #expect(throws: CryptoError.self) {
                try suite.open(message: changed.span, with: key, info: [4].span, aad: [5].span)
            }
        }
        for count in 0..<suite.overhead {
            #expect(throws: CryptoError.wrongInputSize) {
                try suite.open(message: message.span.extracting(..<count), with: key, info: [4].span, aad: [5].span)
            }
        }
    }

    @Test("two messages of the same content share nothing")
    func fresh() throws {
        let key = try PrivateKey.generate(.x25519, bits: 256)
        let messages = try (0..<2).map { _ in
            try HPKE(.x25519).seal(
                content: [UInt8](repeating: 0, count: 64).span, to: key.publicKey, info: Span(), aad: Span())
        }
        #expect(zip(messages[0], messages[1]).filter { $0 == $1 }.count < 10)
    }

    @Test("a key of another type, and a point whose secret anybody knows, are refused")
    func foreignKeys() throws {
        let (curve, point) = (
            try PrivateKey.generate(.x25519, bits: 256), try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        )
        let larger = try PrivateKey.generate(.ecSECPrimeRandom, bits: 384)
        for (kem, key) in [(.x25519, point), (.p256, curve), (.p256, larger)] as [(HPKE.KEM, PrivateKey)] {
            #expect(throws: CryptoError.malformedKey) {
                try HPKE(kem).seal(content: [1].span, to: key.publicKey, info: Span(), aad: Span())
            }
        }
        let zeros = [UInt8](repeating: 0, count: 32 + 16)
        #expect(throws: CryptoError.malformedKey) {
            try HPKE(.x25519).open(message: zeros.span, with: curve, info: Span(), aad: Span())
        }
    }
}
