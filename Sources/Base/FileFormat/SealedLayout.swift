/// Where the chunks of a sealed file are, by the file's size: full ones, then exactly one that is shorter.
package struct SealedLayout: Equatable, Sendable {
    /// The most content of a file in bytes: 256 TiB. After 2⁴⁴ blocks under one key AES-GCM still hides what the
    /// content is, up to a chance of 2⁻⁴¹.
    package static let mostBytes: UInt64 = 1 << 48

    /// The content of a full chunk in bytes.
    package let chunkSize: Int
    /// The number of chunks, at least one.
    package let chunks: UInt64
    /// The content of the file in bytes. It is what the size says, until the last chunk has been opened.
    package let length: UInt64

    /// - Parameter size: the file's size in bytes.
    /// - Throws: `FileError.damaged` when no sealed file has that size: it was cut off; `.tooLarge`.
    package init(size: UInt64, _ header: FileHeader) throws(FileError) {
        let preamble = UInt64(FilePreamble.size)
        guard size >= preamble else { throw .damaged(at: size) }
        guard size <= 2 * Self.mostBytes else { throw .tooLarge }
        let full = UInt64(header.chunkSize + ChunkCipher.tagSize)
        let (whole, rest) = (size - preamble).quotientAndRemainder(dividingBy: full)
        guard rest >= ChunkCipher.tagSize else { throw .damaged(at: size - rest) }
        chunkSize = header.chunkSize
        chunks = whole + 1
        length = whole * UInt64(header.chunkSize) + rest - UInt64(ChunkCipher.tagSize)
        guard length <= Self.mostBytes else { throw .tooLarge }
    }

    /// The place of a chunk in the file.
    ///
    /// - Parameter index: less than ``chunks``.
    package func place(of index: UInt64) -> Range<UInt64> {
        precondition(index < chunks, "a chunk of the file")
        let full = UInt64(chunkSize + ChunkCipher.tagSize)
        let start = UInt64(FilePreamble.size) + index * full
        guard index == chunks - 1 else { return start..<start + full }
        return start..<start + length % UInt64(chunkSize) + UInt64(ChunkCipher.tagSize)
    }
}
