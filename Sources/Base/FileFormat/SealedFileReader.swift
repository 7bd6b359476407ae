package import KeychainModel
package import LinuxSystem

/// Opens the chunks of a sealed file in any order. It does not read: its caller gives it the bytes of chunks.
///
/// The end was proved when it was made, so that the length is authentic. Any thread may use it.
///
/// A program may have thousands of open files: of the header, which the key has proved, it keeps what reading takes.
package final class SealedFileReader: Sendable {
    package let layout: SealedLayout
    package let protection: FileProtection
    private let key: SecretBytes

    /// - Parameters:
    ///   - layout: by the size of the file.
    ///   - last: the bytes of the last chunk.
    /// - Throws: `FileError.damaged` when this is not the file's last chunk, so that the file was cut off or
    ///   lengthened; `.library`.
    package init(_ header: AuthenticHeader, _ layout: SealedLayout, last: Span<UInt8>) throws(FileError) {
        (self.layout, protection, key) = (layout, header.header.protection, header.keys.chunks)
        let content = SecretBuffer(capacity: 0)
        try ChunkCipher(header).open(last, layout.chunks - 1, isLast: true, into: content)
        guard layout.chunkSize == header.header.chunkSize,
            content.count == layout.length % UInt64(layout.chunkSize)
        else { throw .damaged(at: layout.place(of: layout.chunks - 1).lowerBound) }
    }

    /// Opens chunks that follow each other, and appends their content.
    ///
    /// - Parameters:
    ///   - chunks: the bytes of one chunk or of several.
    ///   - first: the index of the first.
    /// - Throws: `FileError.damaged` with the place of the first that does not open, after the content before it was
    ///   appended; `.forked`, `.library`.
    package func open(_ chunks: Span<UInt8>, from first: UInt64, into content: SecretBuffer) throws(FileError) {
        guard !isWiped else { throw .forked }
        let cipher = try ChunkCipher(key, chunkSize: layout.chunkSize)
        var (index, rest) = (first, chunks)
        repeat {
            guard index < layout.chunks else { throw .damaged(at: layout.place(of: layout.chunks - 1).upperBound) }
            let place = layout.place(of: index)
            let size = min(rest.count, place.count)
            try cipher.open(rest.extracting(..<size), index, isLast: index == layout.chunks - 1, into: content)
            rest = rest.extracting(size...)
            index += 1
        } while rest.count > 0
    }

    /// A forked child has zeros in place of its parent's keys.
    private var isWiped: Bool { key.withSpan { bytes in (0..<bytes.count).allSatisfy { bytes[$0] == 0 } } }
}
