internal import KeychainCrypto
internal import KeychainModel

/// The hash function of an HMAC: one of the `kCCHmacAlg…`.
public typealias CCHmacAlgorithm = UInt32
/// HMAC with SHA-1.
public let kCCHmacAlgSHA1 = 0
/// HMAC with MD5.
public let kCCHmacAlgMD5 = 1
/// HMAC with SHA-256.
public let kCCHmacAlgSHA256 = 2
/// HMAC with SHA-384.
public let kCCHmacAlgSHA384 = 3
/// HMAC with SHA-512.
public let kCCHmacAlgSHA512 = 4
/// HMAC with SHA-224.
public let kCCHmacAlgSHA224 = 5

private let hashes: [HashFunction] = [.sha1, .md5, .sha256, .sha384, .sha512, .sha224]

/// An HMAC in progress (RFC 2104). A copy is independent.
public struct CCHmacContext: @unchecked Sendable {
    // A value that may cross borders: two copies share the object only until one of them continues.
    fileprivate var running: HMACContext?
    /// Makes a context that ``CCHmacInit(_:_:_:_:)`` begins.
    public init() {}
}

/// Writes the HMAC of `dataLength` bytes under a key to `macOut`, whose capacity must hold the digest.
///
/// - Parameters:
///   - algorithm: one of the `kCCHmacAlg…`. Another value ends the program: a silently missing HMAC would be worse.
///   - key: of any size.
public func CCHmac(
    _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ data: UnsafeRawPointer!,
    _ dataLength: Int, _ macOut: UnsafeMutableRawPointer!
) {
    var context = CCHmacContext()
    unsafe CCHmacInit(&context, algorithm, key, keyLength)
    unsafe CCHmacUpdate(&context, data, dataLength)
    unsafe CCHmacFinal(&context, macOut)
}

/// Begins an HMAC.
///
/// - Parameters:
///   - algorithm: one of the `kCCHmacAlg…`. Another value, or a hash function that this OpenSSL lacks, ends the
///     program.
///   - key: of any size.
public func CCHmacInit(
    _ ctx: UnsafeMutablePointer<CCHmacContext>!, _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!,
    _ keyLength: Int
) {
    guard hashes.indices.contains(Int(algorithm)) else { fatalError("CCHmacInit: no algorithm has this number.") }
    let hash = hashes[Int(algorithm)]
    var begun = CCHmacContext()
    begun.running = unsafe try? HMACContext(hash, key: bytes(key, keyLength).span)
    guard begun.running != nil else { fatalError("CCHmacInit: OpenSSL gives no HMAC with \(hash.rawValue).") }
    unsafe ctx.initialize(to: begun)
}

/// Adds `dataLength` bytes to an HMAC in progress.
public func CCHmacUpdate(
    _ ctx: UnsafeMutablePointer<CCHmacContext>!, _ data: UnsafeRawPointer!, _ dataLength: Int
) {
    let running = unsafe own(ctx)
    guard unsafe (try? running.update(bytes(data, dataLength).span)) != nil else {
        fatalError("CCHmacUpdate: OpenSSL refused.")
    }
    unsafe ctx.pointee.running = running
}

/// Ends an HMAC and writes it to `macOut`, whose capacity must hold the digest.
public func CCHmacFinal(_ ctx: UnsafeMutablePointer<CCHmacContext>!, _ macOut: UnsafeMutableRawPointer!) {
    guard let code = unsafe try? own(ctx).finish() else { fatalError("CCHmacFinal: OpenSSL refused.") }
    unsafe write(code, to: macOut.assumingMemoryBound(to: UInt8.self))
}

/// Takes the HMAC out of its context, so that no copy continues it.
private func own(_ context: UnsafeMutablePointer<CCHmacContext>) -> HMACContext {
    guard var running = unsafe context.pointee.running else { fatalError("The code is not begun, or has ended.") }
    unsafe context.pointee.running = nil
    if isKnownUniquelyReferenced(&running) { return running }
    guard let copy = try? HMACContext(copying: running) else { fatalError("OpenSSL refused to copy a code.") }
    return copy
}
