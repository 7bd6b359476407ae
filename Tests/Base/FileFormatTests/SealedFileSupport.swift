import FileFormat
import KeychainCrypto
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

extension SecretBytes {
    convenience init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }
    var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

extension SecretBuffer {
    var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

/// The keys of a shelf.
struct TestShelf {
    let id = ShelfID()
    let wrapKey = SecretBytes(Randomness.bytes(32))
    let pair: PrivateKey

    init() throws { pair = try PrivateKey.generate(.x25519, bits: 256) }

    func slot(_ fileKey: SecretBytes, _ file: FileID, _ protection: FileProtection = .complete) throws -> FileSlot {
        protection == .completeUnlessOpen
            ? try .wrapping(fileKey, of: file, shelf: id, to: pair.publicKey)
            : try .wrapping(fileKey, of: file, shelf: id, under: wrapKey)
    }

    func fileKey(of header: FileHeader) -> SecretBytes? {
        let slot = header.shelfSlot
        guard slot.shelf == id else { return nil }
        return header.protection == .completeUnlessOpen
            ? try? slot.fileKey(of: header.file, with: pair) : try? slot.fileKey(of: header.file, under: wrapKey)
    }
}

/// A sealed file in memory.
struct TestFile {
    static let chunk = 4096
    static let sealedChunk = 4096 + 16

    let shelf: TestShelf
    let header: FileHeader
    let fileKey: SecretBytes
    var bytes: [UInt8] = []

    init(
        _ content: [UInt8], _ shelf: TestShelf? = nil, _ protection: FileProtection = .complete, pieces: Int = 1000
    ) throws {
        self.shelf = try shelf ?? TestShelf()
        fileKey = SecretBytes(Randomness.bytes(32))
        let file = FileID()
        header = try FileHeader(
            protection: protection, chunkExponent: 12, file: file,
            slots: [self.shelf.slot(fileKey, file, protection)])
        let writer = try SealedFileWriter(header, fileKey: fileKey)
        bytes = writer.preamble
        for start in stride(from: 0, to: content.count, by: pieces) {
            try writer.write(content.span.extracting(start..<min(content.count, start + pieces)), into: &bytes)
        }
        try writer.finish(into: &bytes)
    }

    /// Its header, proved by its key.
    func proven() throws -> AuthenticHeader {
        let preamble = try FilePreamble(decoding: bytes.span.extracting(..<FilePreamble.size))
        return try #require(try preamble.authenticate(shelf.fileKey))
    }

    /// The bytes of a chunk.
    func chunk(_ index: Int) -> [UInt8] {
        let start = FilePreamble.size + index * Self.sealedChunk
        return Array(bytes[start..<min(bytes.count, start + Self.sealedChunk)])
    }

    /// The file with other chunks.
    func with(_ chunks: [[UInt8]]) -> [UInt8] { Array(bytes[..<FilePreamble.size]) + chunks.flatMap { $0 } }

    func content(of bytes: [UInt8], pieces: Int = 5000) throws(FileError) -> [UInt8] {
        try read(bytes, shelf, pieces: pieces)
    }
}

/// Both readers of a file; what they give is the same, and so is what they refuse.
func read(_ bytes: [UInt8], _ shelf: TestShelf, pieces: Int = 5000) throws(FileError) -> [UInt8] {
    let preamble = try FilePreamble(decoding: bytes.span.extracting(..<min(bytes.count, FilePreamble.size)))
    guard let header = try preamble.authenticate(shelf.fileKey) else { throw .invalidHeader }
    do throws(FileError) {
        let content = try stream(bytes, header, pieces: pieces)
        let sought = try seek(bytes, header)
        if content != sought { throw .library(.libraryFailure) }
        return content
    } catch {
        if (try? seek(bytes, header)) != nil { throw .library(.libraryFailure) }
        throw error
    }
}

func stream(_ bytes: [UInt8], _ header: AuthenticHeader, pieces: Int = 5000) throws(FileError) -> [UInt8] {
    let content = SecretBuffer()
    let stream = SealedFileStream(header)
    for start in stride(from: FilePreamble.size, to: bytes.count, by: pieces) {
        try stream.read(bytes.span.extracting(start..<min(bytes.count, start + pieces)), into: content)
    }
    try stream.finish(into: content)
    return content.array
}

func seek(_ bytes: [UInt8], _ header: AuthenticHeader) throws(FileError) -> [UInt8] {
    let layout = try SealedLayout(size: UInt64(bytes.count), header.header)
    func chunk(_ index: UInt64) -> [UInt8] {
        let place = layout.place(of: index)
        return Array(bytes[Int(place.lowerBound)..<Int(place.upperBound)])
    }
    let reader = try SealedFileReader(header, layout, last: chunk(layout.chunks - 1).span)
    var parts: [[UInt8]] = []
    for index in (0..<layout.chunks).reversed() {
        let part = SecretBuffer()
        try reader.open(chunk(index).span, from: index, into: part)
        parts.append(part.array)
    }
    return Array(parts.reversed().joined())
}
