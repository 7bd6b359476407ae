import KeychainCrypto
import KeychainModel
import LinuxSystem

/// A digest of 32 bytes over all that is loaded and executed of a file.
///
///     digest = SHA-256("swift-keychain code digest v1" 00 ‖ header ‖ program header table ‖ bytes of each segment)
///
/// The digest covers segments in the order of the table, of every type, those without bytes in the file too. Each
/// segment contributes `p_filesz` bytes of the file from `p_offset` on. The header's fields that locate the section
/// table count as zero, also where a segment contains them: `strip` changes them, and nothing that runs depends on
/// them.
struct CodeDigest {
    private let elf: ELFFile
    private let digest: DigestContext

    /// The limit in bytes for all segments together. Segments may overlap, and every segment counts.
    static let mostBytes: UInt64 = 4 << 30
    private static let chunkBytes = 256 << 10
    private static let domain = Array("swift-keychain code digest v1".utf8) + [0]

    /// Computes the digest. It reads a file of any size in pieces.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when the kernel would not load such a file, or a segment
    ///   lies outside of it; `code.too-large`; `errSecIO`.
    static func of(_ elf: ELFFile) throws(Refusal) -> [UInt8] {
        let table = try elf.segmentTable()
        let segments = elf.segments(table)
        try check(segments, elf)
        let digest = try computing { () throws(CryptoError) in try DigestContext(.sha256) }
        return try CodeDigest(elf: elf, digest: digest).compute(table, segments)
    }

    private static func check(_ segments: [ELFSegment], _ elf: ELFFile) throws(Refusal) {
        guard segments.contains(where: { $0.type == ELFSegment.load }) else {
            throw .malformedCode("there is nothing in the file to load")
        }
        var total: UInt64 = 0
        for segment in segments where segment.size > 0 {
            guard elf.contains(segment.offset, segment.size) else {
                throw .malformedCode("a segment lies outside of the file")
            }
            guard segment.size <= mostBytes - total else { throw .tooLargeCode }
            total += segment.size
        }
    }

    private func compute(_ table: [UInt8], _ segments: [ELFSegment]) throws(Refusal) -> [UInt8] {
        try add(Self.domain.span)
        try add(normalised(elf.header.bytes, at: 0).span)
        try add(table.span)
        for segment in segments { try addSegment(segment) }
        return try computing { () throws(CryptoError) in try digest.finish() }
    }

    private func addSegment(_ segment: ELFSegment) throws(Refusal) {
        var offset = segment.offset
        // `check` has verified that this is in the file, whose size fits 63 bits.
        let end = offset + segment.size
        while offset < end {
            let count = Int(min(UInt64(Self.chunkBytes), end - offset))
            try add(normalised(try elf.bytes(at: offset, count, "a segment"), at: offset).span)
            offset += UInt64(count)
        }
    }

    private func add(_ bytes: Span<UInt8>) throws(Refusal) {
        try computing { () throws(CryptoError) in try digest.update(bytes) }
    }

    /// The bytes of the file from `offset` on, with zeros in the header's fields about sections.
    private func normalised(_ bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        guard offset < UInt64(elf.format.headerSize) else { return bytes }
        var bytes = bytes
        let start = Int(offset)
        for field in elf.header.sectionFields {
            for index in field where index >= start && index - start < bytes.count { bytes[index - start] = 0 }
        }
        return bytes
    }
}

/// Runs a body that calls OpenSSL and translates its error into a refusal.
///
/// - Throws: `errSecInternalComponent`.
func computing<Result>(_ body: () throws(CryptoError) -> Result) throws(Refusal) -> Result {
    do throws(CryptoError) { return try body() } catch { throw error.refusal("signature") }
}
