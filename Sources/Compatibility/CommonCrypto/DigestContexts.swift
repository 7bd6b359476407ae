internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The number of bytes that one call takes.
public typealias CC_LONG = UInt32
/// A number of bits.
public typealias CC_LONG64 = UInt64

/// A context holds OpenSSL's object only between begin and end. It may therefore be in memory that nobody
/// deinitialises.
protocol CCDigestContext {
    init()
    var running: DigestContext? { get set }
}

// Values that may cross borders: two copies share an object only until one of them continues (`goOn`).

/// A digest in progress with MD5. A copy is independent.
public struct CC_MD5_CTX: CCDigestContext, @unchecked Sendable {
    var running: DigestContext?
    /// Makes a context that ``CC_MD5_Init(_:)`` begins.
    public init() {}
}

/// A digest in progress with SHA-1. A copy is independent.
public struct CC_SHA1_CTX: CCDigestContext, @unchecked Sendable {
    var running: DigestContext?
    /// Makes a context that ``CC_SHA1_Init(_:)`` begins.
    public init() {}
}

/// A digest in progress with SHA-224 or SHA-256. A copy is independent.
public struct CC_SHA256_CTX: CCDigestContext, @unchecked Sendable {
    var running: DigestContext?
    /// Makes a context that ``CC_SHA256_Init(_:)`` or ``CC_SHA224_Init(_:)`` begins.
    public init() {}
}

/// A digest in progress with SHA-384 or SHA-512. A copy is independent.
public struct CC_SHA512_CTX: CCDigestContext, @unchecked Sendable {
    var running: DigestContext?
    /// Makes a context that ``CC_SHA512_Init(_:)`` or ``CC_SHA384_Init(_:)`` begins.
    public init() {}
}

/// Begins a digest in memory that holds a context or nothing yet.
///
/// - Returns: 1, or 0 when there is no memory for a context, or no such algorithm in this OpenSSL.
func begin<Context: CCDigestContext>(_ context: UnsafeMutablePointer<Context>?, _ hash: HashFunction) -> Int32 {
    guard let place = unsafe context else { return 0 }
    var begun = Context()
    begun.running = try? DigestContext(hash)
    unsafe place.initialize(to: begun)
    return unsafe place.pointee.running == nil ? 0 : 1
}

/// Adds a piece.
///
/// - Returns: 1, or 0 for a context that is not begun.
func goOn<Context: CCDigestContext>(
    _ context: UnsafeMutablePointer<Context>?, _ data: UnsafeRawPointer?, _ count: CC_LONG
) -> Int32 {
    guard let place = unsafe context, var running = unsafe place.pointee.running else { return 0 }
    unsafe place.pointee.running = nil
    if !isKnownUniquelyReferenced(&running) {
        guard let copy = try? DigestContext(copying: running) else { return 0 }
        running = copy
    }
    guard unsafe (try? running.update(bytes(data, Int(count)).span)) != nil else { return 0 }
    unsafe place.pointee.running = running
    return 1
}

/// Ends a digest.
///
/// - Returns: 1, or 0 for a context that is not begun, or no place for the digest.
func end<Context: CCDigestContext>(
    _ context: UnsafeMutablePointer<Context>?, _ digest: UnsafeMutablePointer<UInt8>?
) -> Int32 {
    guard let place = unsafe context, var running = unsafe place.pointee.running, let digest = unsafe digest else {
        return 0
    }
    unsafe place.pointee.running = nil
    if !isKnownUniquelyReferenced(&running) {
        guard let copy = try? DigestContext(copying: running) else { return 0 }
        running = copy
    }
    guard let result = try? running.finish() else { return 0 }
    unsafe write(result, to: digest)
    return 1
}

/// The digest of one piece.
///
/// - Returns: where the digest is, or nil when there is no place for it, or no such algorithm in this OpenSSL.
func digest(
    _ data: UnsafeRawPointer?, _ count: CC_LONG, _ digest: UnsafeMutablePointer<UInt8>?, _ hash: HashFunction
) -> UnsafeMutablePointer<UInt8>? {
    guard let place = unsafe digest, let result = unsafe try? Digest.of(bytes(data, Int(count)).span, hash) else {
        return nil
    }
    unsafe write(result, to: place)
    return unsafe place
}
