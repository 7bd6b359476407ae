internal import KeychainModel
internal import LinuxSystem

/// Returns the public key of a pair.
///
/// - Returns: the public key; of a public key, itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    key.material.keyClass == .public ? key : SecKey(key.material.publicKey)
}

/// Returns a key's external representation. It is PKCS #1 for RSA; 04 ‖ X ‖ Y for curves, and ‖ K for private
/// keys; 32 bytes for Ed25519 and X25519.
///
/// - Parameter error: receives, with the result nil, `errSecUnimplemented` for a private key that cannot leave its
///   place. The caller releases it.
@discardableResult
public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    unsafe explaining(error) { () throws(Refusal) in
        try key.material.externalRepresentation().withSpan { ReturnedData(copying: $0) }
    }
}

/// Returns a key's attributes, under the keys that its item would have (Apple, `SecKeyCopyAttributes`).
///
/// - Returns: class, half, type, size, the permitted uses, and the SHA-1 of the public key as application label. The
///   external representation is under `kSecValueData`, unless the key cannot leave its place.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    (try? key.material.attributes()).map { NSDictionary(dictionary: $0) }
}

/// Returns the size of the modulus, or of a coordinate, in bytes: 256 for RSA of 2048 bits, 66 for the curve of 521.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { KeyType.blockSize(bits: key.material.bits) }

/// Returns whether a key supports an operation and an algorithm: type, size and half must fit (Apple,
/// `SecKeyIsAlgorithmSupported`).
///
/// - Returns: false also for an unknown algorithm.
@discardableResult
public func SecKeyIsAlgorithmSupported(
    _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
    KeyAlgorithm(name: algorithm.name).map { key.material.supports(KeyOperation(operation), $0) } ?? false
}
