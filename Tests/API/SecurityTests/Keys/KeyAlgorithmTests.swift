import KeychainModel
import Security
import TestSupport
import Testing

@Suite("Algorithms of keys", .rule("keys.algorithm.table"))
struct KeyAlgorithmTests {
    static let operations: [SecKeyOperationType] = [.sign, .verify, .encrypt, .decrypt, .keyExchange]
    static let names = KeyAlgorithm.all.map(\.name)

    @Test("All 87 constants have Apple's identifiers, under both names", .rule("keys.algorithm.table"))
    func published() {
        #expect(PublishedAlgorithms.all.count == 87)
        for row in PublishedAlgorithms.all {
            #expect(row.member.rawValue as String == row.identifier)
            #expect(row.constant == row.member, "\(row.identifier)")
            #expect(SecKeyAlgorithm(rawValue: row.member.rawValue) == row.member)
            #expect(KeyAlgorithm(name: row.identifier) != nil, "\(row.identifier)")
        }
        #expect(Set(PublishedAlgorithms.all.map(\.identifier)).count == 87)
    }

    @Test("Beyond these the table has EdDSA and MD5 alone")
    func unpublished() {
        let more = Set(Self.names).subtracting(PublishedAlgorithms.all.map(\.identifier))
        #expect(
            more == [
                "algid:sign:EdDSA:message-Curve25519:SHA512", "algid:sign:RSA:digest-PKCS1v15:MD5",
                "algid:sign:RSA:message-PKCS1v15:MD5",
            ])
        #expect(more.contains(SecKeyAlgorithm.edDSASignatureMessageCurve25519SHA512.rawValue as String))
    }

    @Test(
        "Every algorithm does what SecKeyIsAlgorithmSupported says, with every key", .rule("keys.algorithm.supported"),
        arguments: names)
    func supported(_ name: String) throws {
        let algorithm = SecKeyAlgorithm(name as CFString)
        for key in Keys.all { try check(algorithm, key) }
    }

    private func check(_ algorithm: SecKeyAlgorithm, _ key: SecKey) throws {
        let half = publicKey(key)
        let supported = { SecKeyIsAlgorithmSupported(key, $0, algorithm) }
        for operation in Self.operations {
            // The wrong half does nothing, except that either half of an RSA pair inverts the other; a hybrid form is
            // decrypted by the private half alone.
            let isPrivate = operation == .sign || operation == .decrypt || operation == .keyExchange
            let isHybrid = (algorithm.rawValue as String).contains(":AESGCM")
            let goesBack = isRSA(key) && (operation == .verify || operation == .decrypt && !isHybrid)
            let right = SecKeyIsAlgorithmSupported(isPrivate ? key : half, operation, algorithm)
            #expect(SecKeyIsAlgorithmSupported(isPrivate ? half : key, operation, algorithm) == (goesBack && right))
        }
        #expect(supported(.sign) == SecKeyIsAlgorithmSupported(half, .verify, algorithm))
        #expect(supported(.decrypt) == SecKeyIsAlgorithmSupported(half, .encrypt, algorithm))
        #expect(supported(.sign) ? try signs(key, algorithm) : refuses { sign(key, algorithm, Data(count: 32)) })
        #expect(
            supported(.decrypt) ? try encrypts(key, algorithm) : refuses { decrypt(key, algorithm, Data(count: 300)) })
        #expect(supported(.keyExchange) ? try exchanges(key, algorithm) : refuses { exchange(key, algorithm, half) })
        if !supported(.sign) { #expect(refuses { verify(half, algorithm, Data(count: 32), Data(count: 64)) }) }
        if !supported(.decrypt) { #expect(refuses { encrypt(half, algorithm, Data(count: 4)) }) }
    }

    private func isRSA(_ key: SecKey) -> Bool {
        (SecKeyCopyAttributes(key) as? [String: Any])?["type"] as? String == kSecAttrKeyTypeRSA as String
    }

    private func refuses<Value>(_ body: () -> Outcome<Value>) -> Bool {
        let refused = body()
        return refused.value == nil && refused.code == Int(errSecParam)
            && refused.explanation?.contains("not supported by the key") == true
    }

    private func signs(_ key: SecKey, _ algorithm: SecKeyAlgorithm) throws -> Bool {
        let input = Data((0..<inputSize(key, algorithm)).map { $0 == 0 ? 1 : UInt8(truncatingIfNeeded: $0) })
        let signature = try #require(sign(key, algorithm, input).value, "\(algorithm)")
        var changed = input
        changed[0] ^= 1
        #expect(verify(publicKey(key), algorithm, changed, signature).code == Int(errSecVerifyFailed))
        return verify(publicKey(key), algorithm, input, signature).value == true
    }

    private func encrypts(_ key: SecKey, _ algorithm: SecKeyAlgorithm) throws -> Bool {
        let input = Data((0..<inputSize(key, algorithm)).map { $0 == 0 ? 1 : UInt8(truncatingIfNeeded: $0) })
        let ciphertext = try #require(encrypt(publicKey(key), algorithm, input).value, "\(algorithm)")
        return decrypt(key, algorithm, ciphertext).value == input
    }

    private func exchanges(_ key: SecKey, _ algorithm: SecKeyAlgorithm) throws -> Bool {
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        let peer = try #require(makeKey(attributes["type"] as! CFString, attributes["bsiz"] as! Int).value)
        let derives = (algorithm.rawValue as String).contains("KDFX963")
        let parameters: [String: Any] = derives ? ["requestedSize": 40, "sharedInfo": Data([1, 2])] : [:]
        let own = exchange(key, algorithm, publicKey(peer), parameters).value
        #expect(own?.count == (derives ? 40 : SecKeyGetBlockSize(key)))
        return own == exchange(peer, algorithm, publicKey(key), parameters).value
    }

    /// A size that the algorithm accepts: a whole block, a digest, or a few bytes.
    private func inputSize(_ key: SecKey, _ algorithm: SecKeyAlgorithm) -> Int {
        let name = algorithm.rawValue as String
        if name.hasSuffix(":RSA:raw") { return SecKeyGetBlockSize(key) }
        guard name.contains(":digest-") else { return 2 }
        let digests = ["MD5": 16, "SHA1": 20, "SHA224": 28, "SHA256": 32, "SHA384": 48, "SHA512": 64]
        return name.split(separator: ":").compactMap { digests[String($0)] }.first ?? 32
    }

    @Test("An algorithm that nobody knows is supported by no key, and refused", .rule("keys.algorithm.unsupported"))
    func unknown() {
        for name in ["", "algid:sign:ECDSA", "algid:sign:ECDSA:message-X962:SHA3", "kSecKeyAlgorithmRSASignatureRaw"] {
            let algorithm = SecKeyAlgorithm(rawValue: name as CFString)
            for key in Keys.all {
                for operation in Self.operations { #expect(!SecKeyIsAlgorithmSupported(key, operation, algorithm)) }
                #expect(refuses { sign(key, algorithm, Data(count: 32)) })
            }
        }
    }

    @Test("PSS needs a modulus with room for digest and salt: 1033 bits for SHA-512")
    func roomForPSS() throws {
        #expect(!SecKeyIsAlgorithmSupported(Keys.rsa1024, .sign, .rsaSignatureMessagePSSSHA512))
        #expect(SecKeyIsAlgorithmSupported(Keys.rsa1024, .sign, .rsaSignatureMessagePSSSHA384))
        let larger = try #require(makeKey(kSecAttrKeyTypeRSA, 1040).value)
        #expect(sign(larger, .rsaSignatureMessagePSSSHA512, Data([1])).value != nil)
    }
}
