internal import KeychainCrypto
internal import LinuxSystem

/// Makes a cipher in CBC mode, or in ECB mode with that option.
///
/// - Parameters:
///   - op: `kCCEncrypt` or `kCCDecrypt`.
///   - alg: `kCCAlgorithmAES`, `kCCAlgorithm3DES` or `kCCAlgorithmDES`.
///   - options: `kCCOptionPKCS7Padding`, `kCCOptionECBMode`, both or 0.
///   - iv: a block, random for every message; nil for zero bytes.
///   - cryptorRef: receives the cipher, which ``CCCryptorRelease(_:)`` ends.
/// - Returns: `kCCSuccess`; `kCCKeySizeError`; `kCCUnimplemented` for an unsupported cipher or mode; `kCCParamError`
///   for a missing key or an unknown number.
@discardableResult
public func CCCryptorCreate(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    let isECB = options & CCOptions(kCCOptionECBMode) != 0
    let isPadded = options & CCOptions(kCCOptionPKCS7Padding) != 0
    return unsafe CCCryptorCreateWithMode(
        op, CCMode(isECB ? kCCModeECB : kCCModeCBC), alg, CCPadding(isPadded ? ccPKCS7Padding : ccNoPadding), iv, key,
        keyLength, nil, 0, 0, 0, cryptorRef)
}

/// Makes a cipher in any mode.
///
/// - Parameters:
///   - mode: one of the `kCCMode…`; the counter goes with AES alone.
///   - padding: used in ECB and CBC mode.
///   - tweak, tweakLength, numRounds, options: ignored, as on Apple systems.
/// - Returns: as ``CCCryptorCreate(_:_:_:_:_:_:_:)``.
@discardableResult
public func CCCryptorCreateWithMode(
    _ op: CCOperation, _ mode: CCMode, _ alg: CCAlgorithm, _ padding: CCPadding, _ iv: UnsafeRawPointer!,
    _ key: UnsafeRawPointer!, _ keyLength: Int, _ tweak: UnsafeRawPointer!, _ tweakLength: Int, _ numRounds: Int32,
    _ options: CCModeOptions, _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!
) -> CCCryptorStatus {
    guard let place = unsafe cryptorRef else { return CCCryptorStatus(kCCParamError) }
    unsafe place.pointee = nil
    guard unsafe key != nil, keyLength >= 0, op <= kCCDecrypt, alg <= kCCAlgorithmBlowfish else {
        return CCCryptorStatus(kCCParamError)
    }
    guard let cipher = BlockCipher(alg), mode != kCCModeRC4 else { return CCCryptorStatus(kCCUnimplemented) }
    guard let mode = BlockCipher.modes[mode] else { return CCCryptorStatus(kCCParamError) }
    do throws(CryptoError) {
        let cryptor = try unsafe Cryptor(
            cipher, mode, encrypting: op == kCCEncrypt, padding: padding == ccPKCS7Padding,
            key: bytes(key, keyLength), iv: iv)
        unsafe place.pointee = CCCryptorRef(Unmanaged.passRetained(cryptor).toOpaque())
        return CCCryptorStatus(kCCSuccess)
    } catch {
        return status(error)
    }
}

/// Makes a cipher as ``CCCryptorCreate(_:_:_:_:_:_:_:)`` does. The caller's memory is not used.
///
/// - Parameter dataUsed: receives 0.
@discardableResult
public func CCCryptorCreateFromData(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ data: UnsafeRawPointer!, _ dataLength: Int,
    _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!, _ dataUsed: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe dataUsed?.pointee = 0
    return unsafe CCCryptorCreate(op, alg, options, key, keyLength, iv, cryptorRef)
}

/// Ends a cipher and wipes its key.
@discardableResult
public func CCCryptorRelease(_ cryptorRef: CCCryptorRef!) -> CCCryptorStatus {
    if let reference = unsafe cryptorRef {
        unsafe Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(reference)).release()
    }
    return CCCryptorStatus(kCCSuccess)
}

/// Takes a piece of the message.
///
/// - Parameters:
///   - dataOut: may be the memory of the input.
///   - dataOutMoved: receives the number of bytes that were written, or that are needed when the capacity is too small.
/// - Returns: `kCCSuccess`; `kCCBufferTooSmall`; `kCCOverflow` above 1 GiB; `kCCParamError` for no cipher.
@discardableResult
public func CCCryptorUpdate(
    _ cryptorRef: CCCryptorRef!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe dataOutMoved?.pointee = 0
    guard let cryptor = unsafe cryptor(cryptorRef), dataInLength >= 0 else { return CCCryptorStatus(kCCParamError) }
    if dataInLength == 0 { return CCCryptorStatus(kCCSuccess) }
    let size = cryptor.outputSize(for: dataInLength, final: false)
    guard size <= dataOutAvailable else {
        unsafe dataOutMoved?.pointee = size
        return CCCryptorStatus(kCCBufferTooSmall)
    }
    var nowhere = InlineArray<32, UInt8>(repeating: 0)
    return unsafe withUnsafeMutableBytes(of: &nowhere) { nowhere in
        guard let input = unsafe dataIn, let output = unsafe size > 0 ? dataOut : nowhere.baseAddress else {
            return CCCryptorStatus(kCCParamError)
        }
        do throws(CryptoError) {
            let written = try unsafe cryptor.update(
                UnsafeRawBufferPointer(start: input, count: dataInLength), to: output)
            unsafe dataOutMoved?.pointee = written
            return CCCryptorStatus(kCCSuccess)
        } catch {
            return status(error)
        }
    }
}

/// Ends the message.
///
/// - Parameter dataOutMoved: receives the number of bytes that were written.
/// - Returns: `kCCSuccess`; `kCCBufferTooSmall`; `kCCAlignmentError` for a message that is not whole blocks;
///   `kCCDecodeError` when the decrypted message has no valid padding. The function writes only with `kCCSuccess`.
@discardableResult
public func CCCryptorFinal(
    _ cryptorRef: CCCryptorRef!, _ dataOut: UnsafeMutableRawPointer!, _ dataOutAvailable: Int,
    _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe dataOutMoved?.pointee = 0
    guard let cryptor = unsafe cryptor(cryptorRef) else { return CCCryptorStatus(kCCParamError) }
    do throws(CryptoError) {
        let tail = try cryptor.finish()
        guard tail.count <= dataOutAvailable else { return CCCryptorStatus(kCCBufferTooSmall) }
        if let place = unsafe dataOut { unsafe write(tail, to: place.assumingMemoryBound(to: UInt8.self)) }
        unsafe dataOutMoved?.pointee = tail.count
        return CCCryptorStatus(kCCSuccess)
    } catch {
        return status(error)
    }
}

/// Returns the number of output bytes for `inputLength` more input; with `final`, including the end of the message.
public func CCCryptorGetOutputLength(_ cryptorRef: CCCryptorRef!, _ inputLength: Int, _ final: Bool) -> Int {
    guard let cryptor = unsafe cryptor(cryptorRef), inputLength >= 0 else { return 0 }
    return cryptor.outputSize(for: inputLength, final: final)
}

/// Forgets the input so far, so that a new message can begin; for CBC and counter mode.
///
/// - Parameter iv: a block; nil for zero bytes.
/// - Returns: `kCCSuccess`; `kCCUnimplemented` for another mode; `kCCParamError` for no cipher.
@discardableResult
public func CCCryptorReset(_ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!) -> CCCryptorStatus {
    guard let cryptor = unsafe cryptor(cryptorRef) else { return CCCryptorStatus(kCCParamError) }
    guard cryptor.mode == .cbc || cryptor.mode == .ctr else { return CCCryptorStatus(kCCUnimplemented) }
    do throws(CryptoError) {
        try unsafe cryptor.restart(iv: iv)
        return CCCryptorStatus(kCCSuccess)
    } catch {
        return status(error)
    }
}

private func cryptor(_ reference: CCCryptorRef?) -> Cryptor? {
    guard let reference = unsafe reference else { return nil }
    return unsafe Unmanaged<Cryptor>.fromOpaque(UnsafeRawPointer(reference)).takeUnretainedValue()
}
