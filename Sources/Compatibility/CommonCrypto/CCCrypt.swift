/// Encrypts or decrypts a whole message.
///
/// The result is secret but not authenticated: a person who can change it can change the decrypted message.
///
/// - Parameters:
///   - op, alg, options, key, keyLength, iv: as for ``CCCryptorCreate(_:_:_:_:_:_:_:)``.
///   - dataOut: may be the memory of the input. Its capacity must hold the input, and a block more when padding is
///     added.
///   - dataOutMoved: receives the number of bytes that were written, or that are needed when the capacity is too small.
/// - Returns: what ``CCCryptorCreate(_:_:_:_:_:_:_:)``, ``CCCryptorUpdate(_:_:_:_:_:_:)`` and
///   ``CCCryptorFinal(_:_:_:_:)`` return.
@discardableResult
public func CCCrypt(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    var cryptor: CCCryptorRef?
    let made = unsafe CCCryptorCreate(op, alg, options, key, keyLength, iv, &cryptor)
    guard made == kCCSuccess else { return made }
    defer { unsafe CCCryptorRelease(cryptor) }
    let size = unsafe CCCryptorGetOutputLength(cryptor, dataInLength, true)
    unsafe dataOutMoved?.pointee = size
    guard size <= dataOutAvailable else { return CCCryptorStatus(kCCBufferTooSmall) }
    var (first, last) = (0, 0)
    let updated = unsafe CCCryptorUpdate(cryptor, dataIn, dataInLength, dataOut, dataOutAvailable, &first)
    guard updated == kCCSuccess else { return updated }
    let ended = unsafe CCCryptorFinal(cryptor, dataOut.map { unsafe $0 + first }, dataOutAvailable - first, &last)
    unsafe dataOutMoved?.pointee = first + last
    return ended
}
