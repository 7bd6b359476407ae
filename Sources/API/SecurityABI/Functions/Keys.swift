internal import KeychainModel
internal import Security

// SecKey.h.

@_cdecl("SecKeyGetTypeID")
public func secKeyGetTypeID() -> UInt { SecKeyGetTypeID() }

@_cdecl("SecKeyCreateRandomKey")
public func secKeyCreateRandomKey(_ parameters: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in try unsafe SecKeyCreateRandomKey(dictionary(parameters), error) }
}

@_cdecl("SecKeyGeneratePair")
public func secKeyGeneratePair(_ parameters: Reference?, _ publicKey: Place?, _ privateKey: Place?) -> Int32 {
    unsafe status(optional: publicKey) { (publicKey: UnsafeMutablePointer<SecKey?>?) throws(Refusal) in
        let parameters = try unsafe dictionary(parameters)
        return unsafe status(optional: privateKey) { (privateKey: UnsafeMutablePointer<SecKey?>?) throws(Refusal) in
            unsafe SecKeyGeneratePair(parameters, publicKey, privateKey)
        }
    }
}

@_cdecl("SecKeyCreateWithData")
public func secKeyCreateWithData(_ keyData: Reference?, _ attributes: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCreateWithData(borrowed(keyData), dictionary(attributes), error)
    }
}

@_cdecl("SecKeyGetBlockSize")
public func secKeyGetBlockSize(_ key: Reference?) -> Int { unsafe answer(or: 0, try SecKeyGetBlockSize(borrowed(key))) }

@_cdecl("SecKeyCopyExternalRepresentation")
public func secKeyCopyExternalRepresentation(_ key: Reference?, _ error: Place?) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCopyExternalRepresentation(borrowed(key), error)
    }
}

@_cdecl("SecKeyCopyAttributes")
public func secKeyCopyAttributes(_ key: Reference?) -> Reference? {
    unsafe object(try SecKeyCopyAttributes(borrowed(key)))
}

@_cdecl("SecKeyCopyPublicKey")
public func secKeyCopyPublicKey(_ key: Reference?) -> Reference? {
    unsafe object(try SecKeyCopyPublicKey(borrowed(key)))
}

@_cdecl("SecKeyCreateSignature")
public func secKeyCreateSignature(
    _ key: Reference?, _ algorithm: Reference?, _ dataToSign: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCreateSignature(borrowed(key), named(algorithm), borrowed(dataToSign), error)
    }
}

@_cdecl("SecKeyVerifySignature")
public func secKeyVerifySignature(
    _ key: Reference?, _ algorithm: Reference?, _ signedData: Reference?, _ signature: Reference?, _ error: Place?
) -> Bool {
    unsafe boolean(error) { (error) throws(Refusal) in
        try unsafe SecKeyVerifySignature(
            borrowed(key), named(algorithm), borrowed(signedData), borrowed(signature), error)
    }
}

@_cdecl("SecKeyCreateEncryptedData")
public func secKeyCreateEncryptedData(
    _ key: Reference?, _ algorithm: Reference?, _ plaintext: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCreateEncryptedData(borrowed(key), named(algorithm), borrowed(plaintext), error)
    }
}

@_cdecl("SecKeyCreateDecryptedData")
public func secKeyCreateDecryptedData(
    _ key: Reference?, _ algorithm: Reference?, _ ciphertext: Reference?, _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCreateDecryptedData(borrowed(key), named(algorithm), borrowed(ciphertext), error)
    }
}

@_cdecl("SecKeyCopyKeyExchangeResult")
public func secKeyCopyKeyExchangeResult(
    _ privateKey: Reference?, _ algorithm: Reference?, _ publicKey: Reference?, _ parameters: Reference?,
    _ error: Place?
) -> Reference? {
    unsafe object(error) { (error) throws(Refusal) in
        try unsafe SecKeyCopyKeyExchangeResult(
            borrowed(privateKey), named(algorithm), borrowed(publicKey), dictionary(parameters), error)
    }
}

@_cdecl("SecKeyIsAlgorithmSupported")
public func secKeyIsAlgorithmSupported(_ key: Reference?, _ operation: Int, _ algorithm: Reference?) -> Bool {
    unsafe answer(or: false, try supports(borrowed(key), SecKeyOperationType(rawValue: operation), named(algorithm)))
}

/// No key supports an algorithm without a name.
private func supports(_ key: SecKey, _ operation: SecKeyOperationType?, _ algorithm: SecKeyAlgorithm) -> Bool {
    operation.map { SecKeyIsAlgorithmSupported(key, $0, algorithm) } ?? false
}

private func named(_ algorithm: Reference?) throws(Refusal) -> SecKeyAlgorithm {
    SecKeyAlgorithm(rawValue: try unsafe string(algorithm))
}
