import Foundation
import Security

/// Certificates, keys and identities, and all their properties, in one word for each.
enum Objects {
    private static func itemClass(_ code: String) -> CFString {
        switch code {
        case "cert": kSecClassCertificate
        case "keys": kSecClassKey
        case "idnt": kSecClassIdentity
        default: kSecClassGenericPassword
        }
    }

    static func addCertificate(_ label: String, _ content: String) -> OSStatus {
        guard let certificate = SecCertificateCreateWithData(nil, data(content) as CFData) else { return errSecParam }
        return SecItemAdd([kSecValueRef: certificate, kSecAttrLabel: label] as [CFString: Any] as CFDictionary, nil)
    }

    /// - Parameter content: a point of P-256 and its private number.
    static func addKey(_ label: String, _ tag: String, _ content: String) -> OSStatus {
        let kind: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
        ]
        guard let key = SecKeyCreateWithData(data(content) as CFData, kind as CFDictionary, nil) else {
            return errSecParam
        }
        let item: [CFString: Any] = [kSecValueRef: key, kSecAttrLabel: label, kSecAttrApplicationTag: Data(tag.utf8)]
        return SecItemAdd(item as CFDictionary, nil)
    }

    /// A key that the enclave makes and keeps.
    static func makeKey(_ label: String, _ tag: String) -> OSStatus {
        let half: [CFString: Any] = [
            kSecAttrIsPermanent: true, kSecAttrLabel: label, kSecAttrApplicationTag: Data(tag.utf8),
        ]
        let parameters: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecPrivateKeyAttrs: half,
        ]
        return SecKeyCreateRandomKey(parameters as CFDictionary, nil) == nil ? errSecInternalError : errSecSuccess
    }

    /// Changes the label of the items of a class that have a label.
    static func relabel(_ code: String, _ label: String, _ new: String) -> OSStatus {
        SecItemUpdate(
            [kSecClass: itemClass(code), kSecAttrLabel: label] as [CFString: Any] as CFDictionary,
            [kSecAttrLabel: new] as [CFString: Any] as CFDictionary)
    }

    /// Every item of a class that matches the criteria, in order.
    ///
    /// - Parameter criteria: attributes by their codes: `pkhh=0a1b` for data, `labl:616461` for text, `kcls#1` for a
    ///   number.
    static func ask(_ code: String, _ criteria: ArraySlice<String>) -> (OSStatus, [String]) {
        var query: [String: Any] = [
            kSecClass as String: itemClass(code), kSecMatchLimit as String: kSecMatchLimitAll,
            kSecReturnAttributes as String: true, kSecReturnData as String: true, kSecReturnRef as String: true,
        ]
        for one in criteria { query[String(one.prefix(4))] = value(one.dropFirst(4)) }
        var found: CFTypeRef?
        let status = SecItemCopyMatching(query as CFDictionary, &found)
        return (status, ((found as? [[String: Any]]) ?? []).map(text).sorted())
    }

    private static func value(_ text: Substring) -> Any {
        switch text.first {
        case "#": Int(text.dropFirst()) ?? 0
        case ":": String(decoding: data(String(text)), as: UTF8.self)
        default: data(String(text))
        }
    }

    private static func text(_ item: [String: Any]) -> String {
        let plain = item.compactMap { name, value in shown(value).map { "\(name)=\($0)" } }
        return (plain + reference(item)).sorted().joined(separator: ",")
    }

    private static func shown(_ value: Any) -> String? {
        switch value {
        case let bytes as Data: hexadecimal(bytes)
        case let text as String: hexadecimal(Data(text.utf8))
        case let number as NSNumber: number.stringValue
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        default: nil
        }
    }

    /// The properties of an item's object: its certificate's bytes, the public half of its key, and whether the two
    /// halves of the key belong together.
    private static func reference(_ item: [String: Any]) -> [String] {
        guard let found = item[kSecValueRef as String] as CFTypeRef? else { return [] }
        switch CFGetTypeID(found) {
        case SecCertificateGetTypeID(): return certificate(found as! SecCertificate)
        case SecKeyGetTypeID(): return key(found as! SecKey)
        case SecIdentityGetTypeID():
            var (half, other): (SecCertificate?, SecKey?)
            _ = SecIdentityCopyCertificate(found as! SecIdentity, &half)
            _ = SecIdentityCopyPrivateKey(found as! SecIdentity, &other)
            return (half.map(certificate) ?? []) + (other.map(key) ?? [])
        default: return ["what=?"]
        }
    }

    private static func certificate(_ found: SecCertificate) -> [String] {
        ["certificate=\(hexadecimal(SecCertificateCopyData(found) as Data))"]
    }

    private static func key(_ found: SecKey) -> [String] {
        guard let half = SecKeyCopyPublicKey(found) else { return ["public=?"] }
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let message = Data("a message".utf8) as CFData
        let signature = SecKeyCreateSignature(found, algorithm, message, nil)
        let isRight = signature.map { SecKeyVerifySignature(half, algorithm, message, $0, nil) } ?? false
        let point = SecKeyCopyExternalRepresentation(half, nil) as Data?
        return ["public=\(point.map(hexadecimal) ?? "?")", "signs=\(isRight)"]
    }

    private static func data(_ text: String) -> Data {
        let digits = text.compactMap(\.hexDigitValue)
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }

    private static func hexadecimal(_ bytes: Data) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
