// Digests that OpenSSL no longer has, or has in its legacy provider alone. Libraries that offer all of Apple's digests
// name them, so they are declared. The functions compute nothing, and their results report that.

// MARK: - MD2

/// The size of an MD2 digest in bytes.
public let CC_MD2_DIGEST_LENGTH: Int32 = 16
/// The size of the blocks MD2 works on, in bytes.
public let CC_MD2_BLOCK_BYTES: Int32 = 64

/// A context for MD2, which is not supported.
public struct CC_MD2_CTX: Sendable {
    /// Makes a context that is never begun.
    public init() {}
}

/// Begins nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD2_Init(_ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> Int32 { 0 }

/// Adds nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD2_Update(
    _ c: UnsafeMutablePointer<CC_MD2_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { 0 }

/// Writes nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD2_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD2_CTX>!) -> Int32 { 0 }

/// Writes nothing.
///
/// - Returns: nil.
@discardableResult
public func CC_MD2(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { nil }

// MARK: - MD4

/// The size of an MD4 digest in bytes.
public let CC_MD4_DIGEST_LENGTH: Int32 = 16
/// The size of the blocks MD4 works on, in bytes.
public let CC_MD4_BLOCK_BYTES: Int32 = 64

/// A context for MD4, which is not supported.
public struct CC_MD4_CTX: Sendable {
    /// Makes a context that is never begun.
    public init() {}
}

/// Begins nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD4_Init(_ c: UnsafeMutablePointer<CC_MD4_CTX>!) -> Int32 { 0 }

/// Adds nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD4_Update(
    _ c: UnsafeMutablePointer<CC_MD4_CTX>!, _ data: UnsafeRawPointer!, _ len: CC_LONG
) -> Int32 { 0 }

/// Writes nothing.
///
/// - Returns: 0.
@discardableResult
public func CC_MD4_Final(_ md: UnsafeMutablePointer<UInt8>!, _ c: UnsafeMutablePointer<CC_MD4_CTX>!) -> Int32 { 0 }

/// Writes nothing.
///
/// - Returns: nil.
@discardableResult
public func CC_MD4(
    _ data: UnsafeRawPointer!, _ len: CC_LONG, _ md: UnsafeMutablePointer<UInt8>!
) -> UnsafeMutablePointer<UInt8>! { nil }
