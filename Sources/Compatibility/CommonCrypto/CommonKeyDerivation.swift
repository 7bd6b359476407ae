internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// How a key is derived: `kCCPBKDF2`.
public typealias CCPBKDFAlgorithm = UInt32
/// PBKDF2 (RFC 8018).
public let kCCPBKDF2 = 2

/// The function a derivation repeats: one of the `kCCPRFHmacAlg…`.
public typealias CCPseudoRandomAlgorithm = UInt32
/// HMAC with SHA-1.
public let kCCPRFHmacAlgSHA1 = 1
/// HMAC with SHA-224.
public let kCCPRFHmacAlgSHA224 = 2
/// HMAC with SHA-256.
public let kCCPRFHmacAlgSHA256 = 3
/// HMAC with SHA-384.
public let kCCPRFHmacAlgSHA384 = 4
/// HMAC with SHA-512.
public let kCCPRFHmacAlgSHA512 = 5

private let functions: [CCPseudoRandomAlgorithm: HashFunction] = [
    1: .sha1, 2: .sha224, 3: .sha256, 4: .sha384, 5: .sha512,
]

/// Derives a key from a password.
///
/// - Parameters:
///   - algorithm: `kCCPBKDF2`.
///   - salt: may be nil when `saltLen` is 0.
///   - prf: one of the `kCCPRFHmacAlg…`.
///   - rounds: 1 or more. More rounds take longer, for the caller and for an attacker.
///   - derivedKey: the destination, with a capacity of `derivedKeyLen` bytes, which must not be 0.
/// - Returns: `kCCSuccess`; `kCCParamError` for an invalid parameter; `kCCUnspecifiedError` when OpenSSL refuses.
@discardableResult
public func CCKeyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ password: UnsafePointer<CChar>!, _ passwordLen: Int,
    _ salt: UnsafePointer<UInt8>!, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm, _ rounds: UInt32,
    _ derivedKey: UnsafeMutablePointer<UInt8>!, _ derivedKeyLen: Int
) -> Int32 {
    let sizesMeanSomething = passwordLen >= 0 && saltLen >= 0 && derivedKeyLen > 0
    let isSaltThere = unsafe salt != nil || saltLen == 0
    guard algorithm == kCCPBKDF2, let hash = functions[prf], unsafe password != nil, isSaltThere, sizesMeanSomething,
        let place = unsafe derivedKey
    else { return Int32(kCCParamError) }
    var key = unsafe MutableSpan(_unsafeStart: place, count: derivedKeyLen)
    do throws(CryptoError) {
        try unsafe PBKDF2.derive(
            from: bytes(password, passwordLen).span, salt: bytes(salt, saltLen).span, rounds: rounds, hash, into: &key)
        return Int32(kCCSuccess)
    } catch {
        return status(error)
    }
}

/// Derives a key as the function of this name that takes bytes and characters (SE-0324).
@_disfavoredOverload
@discardableResult
public func CCKeyDerivationPBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ password: UnsafeRawPointer!, _ passwordLen: Int, _ salt: UnsafeRawPointer!,
    _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm, _ rounds: UInt32, _ derivedKey: UnsafeMutableRawPointer!,
    _ derivedKeyLen: Int
) -> Int32 {
    unsafe CCKeyDerivationPBKDF(
        algorithm, password?.assumingMemoryBound(to: CChar.self), passwordLen,
        salt?.assumingMemoryBound(to: UInt8.self), saltLen, prf, rounds,
        derivedKey?.assumingMemoryBound(to: UInt8.self), derivedKeyLen)
}

/// Finds how many rounds take about `msec` milliseconds on this machine, at least 10,000.
///
/// - Returns: the rounds; `UInt32.max` for parameters that `CCKeyDerivationPBKDF` does not
///   take, or a salt of more than 132 bytes.
public func CCCalibratePBKDF(
    _ algorithm: CCPBKDFAlgorithm, _ passwordLen: Int, _ saltLen: Int, _ prf: CCPseudoRandomAlgorithm,
    _ derivedKeyLen: Int, _ msec: UInt32
) -> UInt32 {
    let trial: UInt32 = 100_000
    let fewest: UInt64 = 10_000
    guard (0...132).contains(saltLen), (0...1 << 20).contains(passwordLen), (1...1 << 20).contains(derivedKeyLen) else {
        return .max
    }
    let password = [UInt8](repeating: 0x61, count: max(passwordLen, 1))
    let salt = [UInt8](repeating: 0, count: saltLen)
    var key = [UInt8](repeating: 0, count: derivedKeyLen)
    let start = ContinuousClock.now
    let result = unsafe CCKeyDerivationPBKDF(
        algorithm, password, password.count, salt, saltLen, prf, trial, &key, derivedKeyLen)
    guard result == kCCSuccess else { return .max }
    let taken = max((ContinuousClock.now - start) / Duration.microseconds(1), 1)
    let rounds = Double(msec) * 1000 * Double(trial) / taken
    return UInt32(clamping: max(fewest, UInt64(min(rounds, Double(UInt32.max)))))
}
