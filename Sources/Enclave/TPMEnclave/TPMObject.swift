import CTSS2
import KeychainModel
import LinuxSystem

/// An object that is kept outside of the TPM, wrapped by its storage key, in the TPM's own notation.
///
///     object = TPM2B_PUBLIC TPM2B_PRIVATE
struct TPMObject: Equatable, Sendable {
    /// The marshalled `TPM2B_PUBLIC`.
    let publicArea: [UInt8]
    /// The content of the `TPM2B_PRIVATE`, which no other TPM can open.
    let privateArea: [UInt8]

    init(_ publicArea: TPM2B_PUBLIC, _ privateArea: [UInt8]) throws(TPMFailure) {
        self.publicArea = try publicArea.marshalled()
        self.privateArea = privateArea
    }

    /// Reads the object at the front of a record.
    ///
    /// - Throws: ``TPMFailure/malformed``.
    init(from reader: inout RecordReader) throws(TPMFailure) {
        publicArea = try reader.sized(keepingSize: true)
        privateArea = try reader.sized()
    }

    var encoded: [UInt8] { publicArea + RecordReader.sized(privateArea) }

    /// The public area as the library takes it.
    ///
    /// - Throws: ``TPMFailure/malformed`` when it is none.
    func unmarshalled() throws(TPMFailure) -> TPM2B_PUBLIC {
        var result = TPM2B_PUBLIC()
        var offset = 0
        let code = unsafe Tss2_MU_TPM2B_PUBLIC_Unmarshal(publicArea, publicArea.count, &offset, &result)
        guard code == TSS2_RC_SUCCESS, offset == publicArea.count else { throw .malformed }
        return result
    }
}

extension TPM2B_PUBLIC {
    fileprivate func marshalled() throws(TPMFailure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: MemoryLayout<TPM2B_PUBLIC>.size)
        var used = 0
        // The size is computed while it is written; what stands in the field need not be right.
        var area = self
        area.size = 0
        let code = unsafe Tss2_MU_TPM2B_PUBLIC_Marshal(&area, &bytes, bytes.count, &used)
        guard code == TSS2_RC_SUCCESS else { throw TPMFailure(code) }
        return Array(bytes.prefix(used))
    }

    /// The point of a P-256 key: 04 ‖ X ‖ Y.
    var point: [UInt8]? {
        guard publicArea.type == alg(TPM2_ALG_ECC) else { return nil }
        let parts = unsafe [publicArea.unique.ecc.x.bytes, publicArea.unique.ecc.y.bytes]
        guard parts.allSatisfy({ $0.count <= 32 }) else { return nil }
        return [4] + parts.flatMap { $0.leftPadded(to: 32) }
    }
}

/// Takes a record apart: parts of a size (`u16`, most significant byte first) and that many bytes, as in the TPM's
/// notation.
struct RecordReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// The next part.
    ///
    /// - Throws: ``TPMFailure/malformed`` when it is not whole.
    mutating func sized(keepingSize: Bool = false) throws(TPMFailure) -> [UInt8] {
        guard bytes.count - offset >= 2 else { throw .malformed }
        let size = Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
        let start = offset + 2
        guard bytes.count - start >= size else { throw .malformed }
        defer { offset = start + size }
        return Array(bytes[(keepingSize ? offset : start)..<start + size])
    }

    static func sized(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}

extension [UInt8] {
    /// The same number in `count` bytes, most significant first; the TPM leaves zeros out.
    func leftPadded(to size: Int) -> [UInt8] { [UInt8](repeating: 0, count: Swift.max(0, size - count)) + self }
}
