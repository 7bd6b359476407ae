// For the test that searches memory: a program like any other, with keys that it cannot read.
//
//     key-holder make     makes a key in the Secure Enclave and one that is not extractable
//     key-holder save     writes the key in the Secure Enclave to standard output, for security attest-key
//     key-holder use      signs with both and reports it, then waits for the end of its input

import Foundation
import Security

func fail(_ what: String, _ error: Unmanaged<CFError>?) -> Never {
    let reason = unsafe error?.takeRetainedValue().localizedDescription ?? ""
    FileHandle.standardError.write(Data("\(what): \(reason)\n".utf8))
    exit(1)
}

func make(_ label: String, _ more: [CFString: Any], _ privateAttributes: [CFString: Any]) {
    var parameters: [CFString: Any] = [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
        kSecPrivateKeyAttrs: privateAttributes.merging(
            [kSecAttrIsPermanent: true, kSecAttrLabel: label], uniquingKeysWith: { $1 }),
    ]
    parameters.merge(more) { $1 }
    var error: Unmanaged<CFError>?
    guard unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) != nil else { fail(label, error) }
}

func find(_ label: String) -> SecKey {
    let query: [CFString: Any] = [
        kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrLabel: label, kSecReturnRef: true,
    ]
    var found: CFTypeRef?
    guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess, let key = found as? SecKey else {
        fail("\(label): \(SecCopyLastItemError()?.description ?? "not found")", nil)
    }
    return key
}

func use(_ label: String) {
    let key = find(label)
    for number in 0..<50 {
        var error: Unmanaged<CFError>?
        let challenge = Data("challenge \(number)".utf8) as CFData
        let signature = unsafe SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, challenge, &error)
        guard signature != nil else { fail(label, error) }
    }
}

switch CommandLine.arguments.dropFirst().first {
case "make":
    make("enclave", [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave], [:])
    make("kept", [:], [kSecAttrIsExtractable: false])
case "save":
    let attributes = SecKeyCopyAttributes(find("enclave"))
    FileHandle.standardOutput.write(attributes?[kSecAttrTokenOID] as? Data ?? Data())
case "use":
    for label in ["enclave", "kept"] { use(label) }
    FileHandle.standardOutput.write(Data("used\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
default: exit(2)
}
