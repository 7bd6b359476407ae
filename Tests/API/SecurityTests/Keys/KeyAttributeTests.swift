import Security
import TestSupport
import Testing

@Suite("Attributes of keys", .rule("keys.attributes.copy"))
struct KeyAttributeTests {
    /// The table of F.2 for RSA public, RSA private, EC public and EC private keys.
    static let flags: [(key: String, rsaPublic: Bool, rsaPrivate: Bool, ecPublic: Bool, ecPrivate: Bool)] = [
        ("encr", true, false, true, false),
        ("decr", true, true, false, true),
        ("drve", false, false, false, true),
        ("sign", false, true, false, true),
        ("vrfy", true, false, true, false),
        ("snrc", false, false, false, false),
        ("vyrc", false, false, false, false),
        ("wrap", true, false, true, false),
        ("unwp", false, true, false, true),
    ]

    private func attributes(_ key: SecKey) throws -> [String: Any] {
        try #require(SecKeyCopyAttributes(key) as? [String: Any])
    }

    @Test("The can-flags are those of the table", .rule("keys.attributes.usage"))
    func canFlags() throws {
        let (rsaPublic, rsaPrivate) = try (attributes(publicKey(Keys.rsa2048)), attributes(Keys.rsa2048))
        let (ecPublic, ecPrivate) = try (attributes(publicKey(Keys.p384)), attributes(Keys.p384))
        for row in Self.flags {
            #expect(rsaPublic[row.key] as? Bool == row.rsaPublic, "\(row.key)")
            #expect(rsaPrivate[row.key] as? Bool == row.rsaPrivate, "\(row.key)")
            #expect(ecPublic[row.key] as? Bool == row.ecPublic, "\(row.key)")
            #expect(ecPrivate[row.key] as? Bool == row.ecPrivate, "\(row.key)")
        }
    }

    @Test("Both halves have the same label, the SHA-1 of the public key, and say they are private")
    func common() throws {
        for key in Keys.all {
            let (own, half) = try (attributes(key), attributes(publicKey(key)))
            #expect((own["klbl"] as? Data)?.count == 20)
            #expect(own["klbl"] as? Data == half["klbl"] as? Data)
            #expect(own["kcls"] as? String == kSecAttrKeyClassPrivate as String)
            #expect(half["kcls"] as? String == kSecAttrKeyClassPublic as String)
            for attributes in [own, half] {
                #expect(attributes["class"] as? String == kSecClassKey as String)
                for flag in ["perm", "priv", "modi", "extr"] { #expect(attributes[flag] as? Bool == true, "\(flag)") }
                for flag in ["sens", "asen", "next"] { #expect(attributes[flag] as? Bool == false, "\(flag)") }
                #expect(attributes["bsiz"] as? Int == attributes["esiz"] as? Int)
                // F.2 lists these and no others.
                #expect(attributes.count == 23)
            }
            #expect(own["v_Data"] as? Data == external(key))
            #expect(half["v_Data"] as? Data == external(publicKey(key)))
        }
    }

    @Test("The label is what sha1sum says of the exported bytes", .rule("keys.attributes.label"))
    func label() throws {
        // RFC 6979, A.2.5: the public key of its P-256 vectors; the digest is from `openssl dgst -sha1`.
        let point = Data(
            hexadecimal: """
                0460FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6\
                7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
                """)
        let key = try #require(importKey(point, kSecAttrKeyTypeEC, kSecAttrKeyClassPublic).value)
        let label = try #require(try attributes(key)["klbl"] as? Data)
        #expect(try label == OpenSSLCommand.run(["dgst", "-sha1", "-binary"], input: point))
    }
}
