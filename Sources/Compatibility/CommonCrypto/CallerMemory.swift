internal import KeychainCrypto

/// The caller's bytes, for the duration of the call; empty for a null pointer, as in C.
func bytes(_ start: UnsafeRawPointer?, _ count: Int) -> UnsafeBufferPointer<UInt8> {
    guard let start = unsafe start, count > 0 else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(start: start.assumingMemoryBound(to: UInt8.self), count: count)
}

/// Writes a result if the caller's capacity suffices.
func write(_ result: [UInt8], to place: UnsafeMutablePointer<UInt8>) {
    for index in result.indices { unsafe place[index] = result[index] }
}

/// The status for an error.
func status(_ error: CryptoError) -> CCCryptorStatus {
    let status =
        switch error {
        case .unsupportedKeySize: kCCKeySizeError
        case .unsupportedAlgorithm: kCCUnimplemented
        case .invalidParameter, .malformedKey: kCCParamError
        case .tooLong: kCCOverflow
        case .wrongInputSize: kCCAlignmentError
        case .authenticationFailed: kCCDecodeError
        case .boxTooShort, .malformedCertificate, .libraryFailure: kCCUnspecifiedError
        }
    return CCCryptorStatus(status)
}
