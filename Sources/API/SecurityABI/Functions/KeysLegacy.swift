internal import KeychainModel
internal import Security

// The older functions of SecKey.h, with memory of the caller.

@_cdecl("SecKeyRawSign")
public func secKeyRawSign(
    _ key: Reference?, _ padding: UInt32, _ dataToSign: UnsafePointer<UInt8>?, _ dataToSignLen: Int,
    _ sig: UnsafeMutablePointer<UInt8>?, _ sigLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe status(
        try SecKeyRawSign(
            borrowed(key), SecPadding(rawValue: padding), given(dataToSign), dataToSignLen, given(sig), given(sigLen)))
}

@_cdecl("SecKeyRawVerify")
public func secKeyRawVerify(
    _ key: Reference?, _ padding: UInt32, _ signedData: UnsafePointer<UInt8>?, _ signedDataLen: Int,
    _ sig: UnsafePointer<UInt8>?, _ sigLen: Int
) -> Int32 {
    unsafe status(
        try rawVerify(borrowed(key), SecPadding(rawValue: padding), given(signedData), signedDataLen, sig, sigLen))
}

/// A signature of the wrong size is invalid.
private func rawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafePointer<UInt8>, _ count: Int,
    _ sig: UnsafePointer<UInt8>?, _ sigLen: Int
) -> Int32 {
    unsafe SecKeyRawVerify(key, padding, signedData, count, sig ?? signedData, sig == nil ? 0 : sigLen)
}

@_cdecl("SecKeyEncrypt")
public func secKeyEncrypt(
    _ key: Reference?, _ padding: UInt32, _ plainText: UnsafePointer<UInt8>?, _ plainTextLen: Int,
    _ cipherText: UnsafeMutablePointer<UInt8>?, _ cipherTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe status(
        try SecKeyEncrypt(
            borrowed(key), SecPadding(rawValue: padding), given(plainText), plainTextLen, given(cipherText),
            given(cipherTextLen)))
}

@_cdecl("SecKeyDecrypt")
public func secKeyDecrypt(
    _ key: Reference?, _ padding: UInt32, _ cipherText: UnsafePointer<UInt8>?, _ cipherTextLen: Int,
    _ plainText: UnsafeMutablePointer<UInt8>?, _ plainTextLen: UnsafeMutablePointer<Int>?
) -> Int32 {
    unsafe status(
        try SecKeyDecrypt(
            borrowed(key), SecPadding(rawValue: padding), given(cipherText), cipherTextLen, given(plainText),
            given(plainTextLen)))
}
