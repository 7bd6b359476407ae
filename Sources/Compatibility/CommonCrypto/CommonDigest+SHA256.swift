internal import KeychainModel

// MARK: - SHA-224

/// The size of a SHA-224 digest in bytes.
public let CC_SHA224_DIGEST_LENGTH: Int32 = 28
/// The size of the blocks SHA-224 works on, in bytes.
public let CC_SHA224_BLOCK_BYTES: Int32 = 64

/// Begins a digest with SHA-224.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without SHA-224.
@discardableResult
public func CC_SHA224_Init(_ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> Int32 { unsafe begin(c, .sha224) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA224_Update(
    _ c: UnsafeMutablePointer<CC_SHA256_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 28 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA224_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA224_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the SHA-224 digest of `len` bytes, which has 28 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without SHA-224.
@discardableResult
public func CC_SHA224(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .sha224) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA224(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .sha224) }

// MARK: - SHA-256

/// The size of a SHA-256 digest in bytes.
public let CC_SHA256_DIGEST_LENGTH: Int32 = 32
/// The size of the blocks SHA-256 works on, in bytes.
public let CC_SHA256_BLOCK_BYTES: Int32 = 64

/// Begins a digest with SHA-256.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without SHA-256.
@discardableResult
public func CC_SHA256_Init(_ c: UnsafeMutablePointer<CC_SHA256_CTX>!) -> Int32 { unsafe begin(c, .sha256) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA256_Update(
    _ c: UnsafeMutablePointer<CC_SHA256_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 32 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA256_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA256_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_SHA256_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the SHA-256 digest of `len` bytes, which has 32 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without SHA-256.
@discardableResult
public func CC_SHA256(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .sha256) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA256(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .sha256) }
