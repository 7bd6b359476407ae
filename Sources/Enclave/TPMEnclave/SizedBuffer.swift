import CTSS2
import Glibc
import LinuxSystem

/// The library's structures of a size and that many bytes (`TPM2B_…`).
///
/// The bytes begin behind the size, which is the layout of every one of them: `UINT16 size; BYTE buffer[]`.
protocol SizedBuffer {
    init()
    var size: UInt16 { get set }
}

extension TPM2B_DIGEST: SizedBuffer {}
extension TPM2B_DATA: SizedBuffer {}
extension TPM2B_NAME: SizedBuffer {}
extension TPM2B_PRIVATE: SizedBuffer {}
extension TPM2B_MAX_BUFFER: SizedBuffer {}
extension TPM2B_SENSITIVE_DATA: SizedBuffer {}
extension TPM2B_ECC_PARAMETER: SizedBuffer {}
extension TPM2B_ATTEST: SizedBuffer {}
extension TPM2B_MAX_NV_BUFFER: SizedBuffer {}

extension SizedBuffer {
    private static var bytesOffset: Int { MemoryLayout<UInt16>.size }

    /// Copies bytes in.
    ///
    /// - Throws: ``TPMFailure/malformed`` when there are more than it can hold.
    mutating func fill(_ bytes: Span<UInt8>) throws(TPMFailure) {
        guard bytes.count <= MemoryLayout<Self>.size - Self.bytesOffset else { throw .malformed }
        size = UInt16(bytes.count)
        unsafe withUnsafeMutableBytes(of: &self) { target in
            for index in bytes.indices { unsafe target[Self.bytesOffset + index] = bytes[index] }
        }
    }

    init(_ bytes: Span<UInt8>) throws(TPMFailure) {
        self.init()
        try fill(bytes)
    }

    /// Lends the bytes.
    mutating func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        let count = min(Int(size), MemoryLayout<Self>.size - Self.bytesOffset)
        return unsafe withUnsafeMutableBytes(of: &self) { bytes in
            let start = unsafe bytes.baseAddress?.advanced(by: Self.bytesOffset).assumingMemoryBound(to: UInt8.self)
            return body(unsafe Span(_unsafeElements: UnsafeBufferPointer(start: start, count: count)))
        }
    }

    /// The bytes, which are no secret.
    var bytes: [UInt8] {
        var copy = self
        return copy.withSpan { $0.array(0, $0.count) }
    }
}

/// Takes over memory that the library allocated: reads it, wipes it and frees it.
func take<Value, Result>(
    _ pointer: UnsafeMutablePointer<Value>?, _ read: (inout Value) -> Result
) throws(TPMFailure) -> Result {
    guard let pointer = unsafe pointer else { throw .malformed }
    let result = unsafe read(&pointer.pointee)
    unsafe explicit_bzero(pointer, MemoryLayout<Value>.size)
    unsafe Esys_Free(pointer)
    return result
}

/// Lends a zeroed structure that secrets are put into, and wipes it.
func withWiped<Value, Result>(
    _ empty: Value, _ body: (inout Value) throws(TPMFailure) -> Result
) throws(TPMFailure) -> Result {
    var value = empty
    defer {
        unsafe withUnsafeMutableBytes(of: &value) { bytes in
            if let start = bytes.baseAddress { unsafe explicit_bzero(start, bytes.count) }
        }
    }
    return try body(&value)
}
