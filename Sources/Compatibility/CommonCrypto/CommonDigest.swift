internal import KeychainModel

// MARK: - MD5

/// The size of a MD5 digest in bytes.
public let CC_MD5_DIGEST_LENGTH: Int32 = 16
/// The size of the blocks MD5 works on, in bytes.
public let CC_MD5_BLOCK_BYTES: Int32 = 64

/// Begins a digest with MD5. It resists no attack and is here for old data.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without MD5.
@discardableResult
public func CC_MD5_Init(_ c: UnsafeMutablePointer<CC_MD5_CTX>!) -> Int32 { unsafe begin(c, .md5) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_MD5_Update(
    _ c: UnsafeMutablePointer<CC_MD5_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 16 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_MD5_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD5_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_MD5_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_MD5_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the MD5 digest of `len` bytes, which has 16 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without MD5.
@discardableResult
public func CC_MD5(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .md5) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_MD5(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .md5) }

// MARK: - SHA-1

/// The size of a SHA-1 digest in bytes.
public let CC_SHA1_DIGEST_LENGTH: Int32 = 20
/// The size of the blocks SHA-1 works on, in bytes.
public let CC_SHA1_BLOCK_BYTES: Int32 = 64

/// Begins a digest with SHA-1. It resists no attack and is here for old data.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without SHA-1.
@discardableResult
public func CC_SHA1_Init(_ c: UnsafeMutablePointer<CC_SHA1_CTX>!) -> Int32 { unsafe begin(c, .sha1) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA1_Update(
    _ c: UnsafeMutablePointer<CC_SHA1_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 20 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA1_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA1_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA1_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_SHA1_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the SHA-1 digest of `len` bytes, which has 20 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without SHA-1.
@discardableResult
public func CC_SHA1(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .sha1) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA1(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .sha1) }
