import Security
import TestSupport
import Testing

/// A key or certificate that was stored as data has a reference like one that was stored by reference.
@Suite("References of keys and certificates, however they were stored")
struct StoredKeyReferenceTests {
    /// A way in which an item of a class is stored, and the object it stands for.
    private struct Stored {
        let name: String
        let item: Attributes
        let reference: NSObject
    }

    private static func keys(_ type: CFString, _ bits: Int) throws -> [Stored] {
        let whole = try #require(makeKey(type, bits).value)
        let halves = [(whole, kSecAttrKeyClassPrivate), (publicKey(whole), kSecAttrKeyClassPublic)]
        return try halves.flatMap { key, half in
            let described: Attributes = [kSecClass: kSecClassKey, kSecAttrKeyType: type, kSecAttrKeyClass: half]
            let data = try #require(external(key))
            let forms = type == kSecAttrKeyTypeRSA && half == kSecAttrKeyClassPublic ? [data, frame + data] : [data]
            let byData = forms.enumerated().map { number, form in
                Stored(name: "\(type) \(half), form \(number)", item: described + [kSecValueData: form], reference: key)
            }
            return byData + [Stored(name: "\(type) \(half) by reference", item: [kSecValueRef: key], reference: key)]
        }
    }

    /// SubjectPublicKeyInfo around an RSA key of 2048 bits.
    private static let frame = Data([
        0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
        0x00, 0x03, 0x82, 0x01, 0x0F, 0x00,
    ])

    private static func certificates() throws -> [Stored] {
        let certificate = try secCertificate("server")
        let data = SecCertificateCopyData(certificate) as Data
        return [
            Stored(
                name: "certificate", item: [kSecClass: kSecClassCertificate, kSecValueData: data],
                reference: certificate),
            Stored(name: "certificate by reference", item: [kSecValueRef: certificate], reference: certificate),
        ]
    }

    @Test(
        "a call that asks for a reference gets it, for each way to store a key or a certificate",
        .rule("results.reference.kind"))
    func references() throws {
        let keys = try [(kSecAttrKeyTypeRSA, 2048), (kSecAttrKeyTypeEC, 256), (kSecAttrKeyTypeEd25519, 256)]
            .flatMap { try Self.keys($0, $1) }
        for stored in keys + (try Self.certificates()) {
            try withKeychain { _ in
                let name = stored.name
                let added = addReturning(stored.item + [kSecReturnRef: true])
                #expect(added.status == errSecSuccess && added.object as? NSObject == stored.reference, "\(name)")
                let isKey = stored.reference is SecKey
                let query: Attributes = [kSecClass: isKey ? kSecClassKey : kSecClassCertificate]
                #expect(find(query + [kSecReturnRef: true]).object as? NSObject == stored.reference, "\(name)")
                let both = find(query + [kSecReturnRef: true, kSecReturnAttributes: true]).object as? [String: Any]
                #expect(both?[kSecValueRef as String] as? NSObject == stored.reference, "\(name)")
                let all = find(query + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).object as? [NSObject]
                #expect(all == [stored.reference], "\(name)")
            }
        }
    }
}
