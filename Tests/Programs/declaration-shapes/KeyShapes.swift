import Foundation
import Security

/// Access controls, made and used.
func accessControls() {
    var error: Unmanaged<CFError>?
    let control = SecAccessControlCreateWithFlags(
        kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence, &error)
    check(control != nil && error == nil, "made with an error's place")
    let plain = SecAccessControlCreateWithFlags(nil, kSecAttrAccessibleWhenUnlocked, [], nil)!
    check(CFGetTypeID(plain) == SecAccessControlGetTypeID(), "made without one")
    let many = SecAccessControlCreateWithFlags(
        nil, kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, [.privateKeyUsage, .biometryAny, .or, .devicePasscode],
        nil)
    check(many != nil, "made of several flags")
    check(SecAccessControlCreateWithFlags(nil, "nonsense" as CFString, [], &error) == nil, "not of nonsense")
    let failure = error?.takeRetainedValue()
    check(failure.map { CFErrorGetCode($0) } == Int(errSecParam), "which is said")
    var query: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "control"]
    query[kSecAttrAccessControl as String] = plain
    check(SecItemAdd(query as CFDictionary, nil) == errSecSuccess, "used for an item")
    check(SecItemDelete(query as CFDictionary) == errSecSuccess, "and to find it")
}

/// Throws the error of a key function.
private func made<Result>(_ result: Result?, _ error: Unmanaged<CFError>?) throws -> Result {
    guard let result = result else { throw error!.takeRetainedValue() as Error }
    return result
}

/// Keys: made, stored, found, used.
func keys() {
    do {
        for (type, size) in [(kSecAttrKeyTypeRSA, 2048), (kSecAttrKeyTypeECSECPrimeRandom, 256)] { try use(type, size) }
        try keep()
    } catch {
        check(false, "\(error)")
    }
}

private func use(_ type: CFString, _ size: Int) throws {
    let isRSA = type == kSecAttrKeyTypeRSA
    var error: Unmanaged<CFError>?
    let attributes: [String: Any] = [kSecAttrKeyType as String: type, kSecAttrKeySizeInBits as String: size]
    guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error) else {
        throw error!.takeRetainedValue() as Error
    }
    let publicKey = SecKeyCopyPublicKey(key)!
    check(SecKeyGetBlockSize(key) == (isRSA ? 256 : 32), "SecKeyGetBlockSize")
    let description = SecKeyCopyAttributes(key) as? [String: Any]
    check(description?[kSecAttrKeySizeInBits as String] as? Int == size, "SecKeyCopyAttributes")

    let data = try made(SecKeyCopyExternalRepresentation(publicKey, &error), error) as Data
    let creation: [CFString: Any] = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPublic]
    let again = try made(SecKeyCreateWithData(data as CFData, creation as CFDictionary, &error), error)
    check(again == publicKey, "SecKeyCreateWithData")
    check(SecKeyCreateWithData(Data([1, 2]) as CFData, creation as CFDictionary, &error) == nil, "not of nonsense")
    check(error!.takeRetainedValue().localizedDescription.count > 0, "an Unmanaged error is described")
    error = nil

    let algorithm: SecKeyAlgorithm = isRSA ? .rsaSignatureMessagePSSSHA256 : .ecdsaSignatureMessageX962SHA256
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm) else { return check(false, "supported") }
    let message = Data("message".utf8) as CFData
    let signature = try made(SecKeyCreateSignature(key, algorithm, message, &error) as Data?, error)
    check(SecKeyVerifySignature(publicKey, algorithm, message, signature as CFData, &error), "SecKeyVerifySignature")
    check(
        !SecKeyVerifySignature(publicKey, algorithm, Data() as CFData, signature as CFData, nil), "of another message")

    let encryption: SecKeyAlgorithm =
        isRSA ? .rsaEncryptionOAEPSHA256AESGCM : .eciesEncryptionCofactorVariableIVX963SHA256AESGCM
    let sealed = try made(SecKeyCreateEncryptedData(publicKey, encryption, message, &error), error)
    check(SecKeyCreateDecryptedData(key, encryption, sealed, &error) as Data? == message as Data, "encrypted")
    if !isRSA { try exchange(key, publicKey) }
}

private func exchange(_ key: SecKey, _ publicKey: SecKey) throws {
    var error: Unmanaged<CFError>?
    let parameters: [String: Any] = [
        SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
        SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info".utf8),
    ]
    let secret = SecKeyCopyKeyExchangeResult(
        key, .ecdhKeyExchangeStandardX963SHA256, publicKey, parameters as CFDictionary, &error)
    check((try made(secret, error) as Data).count == 32, "SecKeyCopyKeyExchangeResult")
    let plain =
        SecKeyCopyKeyExchangeResult(
            key, SecKeyAlgorithm.ecdhKeyExchangeStandard, publicKey, [:] as CFDictionary, nil) as Data?
    check(plain?.count == 32, "without parameters")
}

/// Stored keys, found by their tag.
private func keep() throws {
    let tag = "org.example.shapes".data(using: .utf8)!
    let attributes: [String: Any] = [
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits as String: 2048,
        kSecPrivateKeyAttrs as String: [kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag]
            as [String: Any],
    ]
    var error: Unmanaged<CFError>?
    let key = try made(SecKeyCreateRandomKey(attributes as CFDictionary, &error), error)
    let query: [String: Any] = [
        kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag,
        kSecAttrKeyType as String: kSecAttrKeyTypeRSA, kSecReturnRef as String: true,
    ]
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return check(false, "found") }
    let found = item as! SecKey
    check(SecKeyCopyPublicKey(found) == SecKeyCopyPublicKey(key), "found by its tag")
    check(SecItemDelete(query as CFDictionary) == errSecSuccess, "deleted")
    let reference: [String: Any] = [
        kSecClass as String: kSecClassKey, kSecValueRef as String: found, kSecAttrApplicationTag as String: tag,
    ]
    check(SecItemAdd(reference as CFDictionary, nil) == errSecSuccess, "added by its reference")
    check(SecItemDelete([kSecClass: kSecClassKey] as CFDictionary) == errSecSuccess, "all keys deleted")
}

/// The older functions, with the pointers of C.
func olderKeyFunctions() {
    var publicKey: SecKey?
    var privateKey: SecKey?
    let attributes: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048]
    check(SecKeyGeneratePair(attributes as CFDictionary, &publicKey, &privateKey) == noErr, "SecKeyGeneratePair")
    guard let key = privateKey, let verifier = publicKey else { return check(false, "both keys") }
    let size = SecKeyGetBlockSize(key)
    let digest = [UInt8](repeating: 7, count: 32)

    var signature = [UInt8](repeating: 0, count: size)
    var count = size
    check(SecKeyRawSign(key, .PKCS1SHA256, digest, digest.count, &signature, &count) == errSecSuccess, "arrays")
    check(SecKeyRawVerify(verifier, .PKCS1SHA256, digest, 32, signature, count) == errSecSuccess, "verified")
    check(SecKeyRawVerify(verifier, SecPadding.PKCS1SHA1, digest, 20, signature, count) != errSecSuccess, "or not")

    var typed = Data(count: size)
    let input = Data(digest)
    let first = typed.withUnsafeMutableBytes { (place: UnsafeMutableRawBufferPointer) -> OSStatus in
        input.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> OSStatus in
            SecKeyRawSign(
                key, .PKCS1SHA256, bytes.bindMemory(to: UInt8.self).baseAddress!, bytes.count,
                place.bindMemory(to: UInt8.self).baseAddress!, &count)
        }
    }
    let second = typed.withUnsafeMutableBytes { place in
        input.withUnsafeBytes { bytes in
            SecKeyRawSign(key, .PKCS1SHA256, bytes.baseAddress!, bytes.count, place.baseAddress!, &count)
        }
    }
    check(first == errSecSuccess && second == errSecSuccess && Data(signature) == typed, "typed and untyped memory")

    var ciphertext = [UInt8](repeating: 0, count: size)
    count = size
    check(SecKeyEncrypt(verifier, .OAEP, digest, 32, &ciphertext, &count) == errSecSuccess, "SecKeyEncrypt")
    var plaintext = [UInt8](repeating: 0, count: size)
    var length = size
    check(SecKeyDecrypt(key, .OAEP, ciphertext, count, &plaintext, &length) == errSecSuccess, "SecKeyDecrypt")
    check(Array(plaintext.prefix(length)) == digest, "what came back")
    let block = [0] + [UInt8](repeating: 7, count: size - 1)
    check(SecKeyEncrypt(verifier, [], block, size, &ciphertext, &count) == errSecSuccess, "without padding")
}
