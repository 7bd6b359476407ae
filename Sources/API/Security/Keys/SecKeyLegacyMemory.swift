// The older functions with untyped memory. On Apple systems the C functions accept it in place of bytes (SE-0324).

/// Signs, as the function of this name with bytes does.
@_disfavoredOverload
@discardableResult
public func SecKeyRawSign(
    _ key: SecKey, _ padding: SecPadding, _ dataToSign: UnsafeRawPointer, _ dataToSignLen: Int,
    _ sig: UnsafeMutableRawPointer,
    _ sigLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe SecKeyRawSign(
        key, padding, dataToSign.assumingMemoryBound(to: UInt8.self), dataToSignLen,
        sig.assumingMemoryBound(to: UInt8.self), sigLen)
}

/// Verifies, as the function of this name with bytes does.
@_disfavoredOverload
@discardableResult
public func SecKeyRawVerify(
    _ key: SecKey, _ padding: SecPadding, _ signedData: UnsafeRawPointer, _ signedDataLen: Int, _ sig: UnsafeRawPointer,
    _ sigLen: Int
) -> OSStatus {
    unsafe SecKeyRawVerify(
        key, padding, signedData.assumingMemoryBound(to: UInt8.self), signedDataLen,
        sig.assumingMemoryBound(to: UInt8.self), sigLen)
}

/// Encrypts, as the function of this name with bytes does.
@_disfavoredOverload
@discardableResult
public func SecKeyEncrypt(
    _ key: SecKey, _ padding: SecPadding, _ plainText: UnsafeRawPointer, _ plainTextLen: Int,
    _ cipherText: UnsafeMutableRawPointer,
    _ cipherTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe SecKeyEncrypt(
        key, padding, plainText.assumingMemoryBound(to: UInt8.self), plainTextLen,
        cipherText.assumingMemoryBound(to: UInt8.self), cipherTextLen)
}

/// Decrypts, as the function of this name with bytes does.
@_disfavoredOverload
@discardableResult
public func SecKeyDecrypt(
    _ key: SecKey, _ padding: SecPadding, _ cipherText: UnsafeRawPointer, _ cipherTextLen: Int,
    _ plainText: UnsafeMutableRawPointer,
    _ plainTextLen: UnsafeMutablePointer<Int>
) -> OSStatus {
    unsafe SecKeyDecrypt(
        key, padding, cipherText.assumingMemoryBound(to: UInt8.self), cipherTextLen,
        plainText.assumingMemoryBound(to: UInt8.self), plainTextLen)
}
