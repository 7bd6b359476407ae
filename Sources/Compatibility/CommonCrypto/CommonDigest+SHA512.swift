internal import KeychainModel

// MARK: - SHA-384

/// The size of a SHA-384 digest in bytes.
public let CC_SHA384_DIGEST_LENGTH: Int32 = 48
/// The size of the blocks SHA-384 works on, in bytes.
public let CC_SHA384_BLOCK_BYTES: Int32 = 128

/// Begins a digest with SHA-384.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without SHA-384.
@discardableResult
public func CC_SHA384_Init(_ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> Int32 { unsafe begin(c, .sha384) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA384_Update(
    _ c: UnsafeMutablePointer<CC_SHA512_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 48 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA384_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA384_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the SHA-384 digest of `len` bytes, which has 48 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without SHA-384.
@discardableResult
public func CC_SHA384(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .sha384) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA384(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .sha384) }

// MARK: - SHA-512

/// The size of a SHA-512 digest in bytes.
public let CC_SHA512_DIGEST_LENGTH: Int32 = 64
/// The size of the blocks SHA-512 works on, in bytes.
public let CC_SHA512_BLOCK_BYTES: Int32 = 128

/// Begins a digest with SHA-512.
///
/// - Returns: 1, or 0 for no context, or an OpenSSL without SHA-512.
@discardableResult
public func CC_SHA512_Init(_ c: UnsafeMutablePointer<CC_SHA512_CTX>!) -> Int32 { unsafe begin(c, .sha512) }

/// Adds `len` bytes.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA512_Update(
    _ c: UnsafeMutablePointer<CC_SHA512_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { unsafe goOn(c, data, len) }

/// Ends a digest and writes its 64 bytes to `md`.
///
/// - Returns: 1, or 0 for a context that is not begun.
@discardableResult
public func CC_SHA512_Final(
    _ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!
) -> Int32 { unsafe end(c, md) }

/// Ends a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA512_Final(
    _ md: UnsafeMutableRawPointer!, _ c: UnsafeMutablePointer<CC_SHA512_CTX>!
) -> Int32 { unsafe end(c, md?.assumingMemoryBound(to: UInt8.self)) }

/// Writes the SHA-512 digest of `len` bytes, which has 64 bytes, to `md`.
///
/// - Returns: `md`; nil when it is nil, or for an OpenSSL without SHA-512.
@discardableResult
public func CC_SHA512(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md, .sha512) }

/// Writes a digest as the function of this name that takes bytes (SE-0324).
@_disfavoredOverload
@discardableResult
public func CC_SHA512(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutableRawPointer!
) -> UnsafeMutablePointer<UInt8>! { unsafe digest(data, len, md?.assumingMemoryBound(to: UInt8.self), .sha512) }
