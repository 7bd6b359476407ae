import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import TPMEnclave

/// Keys in the TPM, held against openssl.
struct KeyStoreTests {
    let chip: SoftwareTPM
    let tpm: TPM
    let store: TPMKeyStore
    let folder: TemporaryDirectory

    init() throws {
        chip = try SoftwareTPM()
        tpm = TPM(chip.address)
        store = TPMKeyStore(tpm)
        folder = try TemporaryDirectory()
    }

    /// A key, and its public half in a file for openssl.
    private func makeKey() throws -> (part: SecretBytes, file: String) {
        let (part, point) = try store.makeKey()
        let file = folder.file("public-\(point[1])\(point[2])")
        try AtomicFile.replace(file, with: (OpenSSL.publicKeyPrefix + point).span)
        return (part, file)
    }

    /// The record of a key that has signed, over a connection that has ended since.
    private func usedKey() throws -> [UInt8] {
        let store = TPMKeyStore(TPM(chip.address))
        let part = try store.makeKey().privatePart
        _ = try part.withSpan { try store.sign(digest: Randomness.bytes(32).span, with: $0) }
        return part.withSpan { $0.array(0, $0.count) }
    }

    private func sign(_ digest: [UInt8], _ part: SecretBytes) throws -> [UInt8] {
        try part.withSpan { try store.sign(digest: digest.span, with: $0) }
    }

    @Test("openssl verifies the signature of a digest of every usual length", arguments: [20, 28, 32, 48, 64])
    func signs(_ length: Int) throws {
        let (part, key) = try makeKey()
        let digest = Randomness.bytes(length)
        let signature = try sign(digest, part)
        #expect(signature.count == 64)
        #expect(try OpenSSL(folder).verifies(signature, of: digest, key))
        var other = digest
        other[length / 3] ^= 1
        #expect(try !OpenSSL(folder).verifies(signature, of: other, key))
    }

    @Test("the TPM and openssl agree on the same secret, and a point off the curve is refused")
    func agrees() throws {
        let (part, key) = try makeKey()
        let peer = try OpenSSL(folder).makePeer()
        let shared = try part.withSpan { try store.agree(with: peer.point.span, using: $0) }
        #expect(try OpenSSL(folder).derive(peer.file, key) == shared.withSpan { $0.array(0, $0.count) })
        var wrong = peer.point
        wrong[64] ^= 1
        for point in [wrong, Array(peer.point.dropLast()), []] {
            let refused = refusal { _ = try part.withSpan { try store.agree(with: point.span, using: $0) } }
            #expect(refused?.status == .param)
        }
    }

    @Test("what is kept of a key is small, and a changed authorisation or object opens nothing")
    func privatePart() throws {
        let bytes = try usedKey()
        #expect(bytes.count <= KeyLimits.privateKeyBytes - 28)
        // The authorisation at both ends, the public area, the key, and the end of the private area.
        for position in [0, 31, 40, 90, bytes.count - 1] {
            var changed = bytes
            changed[position] ^= 1
            let isAuthorisation = position < 32
            let refused = refusal { _ = try sign(Randomness.bytes(32), SecretBytes(copying: changed.span)) }
            #expect(isAuthorisation ? refused?.status == .decode : refused != nil, "\(position)")
        }
        for length in [0, 31, 32, 60, bytes.count - 1] {
            let refused = refusal {
                _ = try sign(Randomness.bytes(32), SecretBytes(copying: bytes.span.extracting(..<length)))
            }
            #expect(refused?.status == .decode, "\(length)")
        }
    }

    @Test("a changed authorisation is refused while the key is loaded, and keeps nobody from using the right one")
    func loadedAuthorisation() throws {
        let (part, _) = try makeKey()
        let changed = part.withSpan { SecretBytes(copying: $0) }
        changed.withMutableSpan { $0[7] ^= 1 }
        for _ in 0..<2 {
            _ = try sign(Randomness.bytes(32), part)
            #expect(refusal { _ = try sign(Randomness.bytes(32), changed) }?.status == .decode)
        }
        _ = try sign(Randomness.bytes(32), part)
        // The storage key, the session and one key.
        #expect(try tpm.loadedHandles() == 3)
    }

    @Test("many operations leave no handle behind")
    func handles() throws {
        let keys = try (0..<3).map { _ in try makeKey().part }
        let peer = try OpenSSL(folder).makePeer().point
        _ = try sign(Randomness.bytes(32), keys[0])
        let before = try tpm.loadedHandles()
        for number in 0..<full(1000, gate: 100) {
            let key = keys[number / 5 % 3]
            switch number % 10 {
            case 0: _ = try store.makeKey()
            case 1, 2: _ = try key.withSpan { try store.agree(with: peer.span, using: $0) }
            case 3: #expect(refusal { _ = try sign([], SecretBytes(count: 40)) } != nil)
            default: _ = try sign(Randomness.bytes(32), key)
            }
        }
        #expect(try tpm.loadedHandles() == before)
        // The storage key, the session and the key used last.
        #expect(before == 3)
    }

    @Test("connections that end leave nothing loaded, and one that was cut off is tidied up after")
    func connections() throws {
        for _ in 0..<5 {
            let other = TPM(chip.address)
            #expect(try other.loadedHandles() == 2)
        }
        // Three objects fill a TPM without a resource manager.
        for _ in 0..<3 { #expect(try chip.tool("tpm2_createprimary", ["-c", folder.file("context")]) == 0) }
        #expect(try tpm.loadedHandles() == 2)
    }
}

/// Openssl's command, as someone else's truth.
struct OpenSSL {
    let folder: TemporaryDirectory

    init(_ folder: TemporaryDirectory) { self.folder = folder }

    /// A SubjectPublicKeyInfo up to the point (RFC 5480).
    static let publicKeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce,
        0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    private func run(_ arguments: String...) throws -> CInt {
        try RunningProgram("/usr/bin/openssl", arguments).waitForExit()
    }

    /// - Parameter signature: r ‖ s.
    func verifies(_ signature: [UInt8], of digest: [UInt8], _ key: String) throws -> Bool {
        let numbers = [signature.prefix(32), signature.suffix(32)].map { number -> [UInt8] in
            let digits = Array(number.drop { $0 == 0 })
            let positive = (digits.first ?? 0) & 0x80 == 0 ? digits : [0] + digits
            return [0x02, UInt8(positive.count)] + positive
        }
        let body = numbers[0] + numbers[1]
        try AtomicFile.replace(folder.file("signature"), with: ([0x30, UInt8(body.count)] + body).span)
        try AtomicFile.replace(folder.file("digest"), with: digest.span)
        let code = try run(
            "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", key, "-in", folder.file("digest"), "-sigfile",
            folder.file("signature"))
        return code == 0
    }

    /// A key pair of openssl's own.
    func makePeer() throws -> (file: String, point: [UInt8]) {
        let (file, publicFile) = (folder.file("peer"), folder.file("peer.public"))
        try #require(try run("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", file) == 0)
        try #require(try run("pkey", "-in", file, "-pubout", "-outform", "DER", "-out", publicFile) == 0)
        return (file, Array(try AtomicFile.read(publicFile, limit: 1000).suffix(65)))
    }

    func derive(_ key: String, _ peer: String) throws -> [UInt8] {
        let output = folder.file("secret")
        try #require(
            try run("pkeyutl", "-derive", "-inkey", key, "-peerkey", peer, "-peerform", "DER", "-out", output) == 0)
        return try AtomicFile.read(output, limit: 100)
    }
}
