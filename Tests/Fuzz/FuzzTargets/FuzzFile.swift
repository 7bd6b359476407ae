import LinuxSystem

@testable import FileFormat
@testable import KeychainCrypto
@testable import KeychainModel

/// Protected files of any kind are read or refused. A header is written in one way; what is read is what a writer with
/// the same key would write, bit for bit; and all readers give the same.
///
///     input = mends:u8 first second *harm body         ; a header is its bytes behind their number, without its code
///     harm  = place:u16 bits:u8                        ; with bit 3 of mends
///
/// Bits 0 and 1 of `mends` have the code of a header made right, as somebody who has the file's key can do. Bit 2 has
/// the body sealed as a content. Bit 4 has it repeated, so that there are several chunks.
func fuzzFile(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let mends = input.byte()
    var file = header(input.longRun(), isMended: mends & 1 != 0) + header(input.longRun(), isMended: mends & 2 != 0)
    var harm: (place: UInt8, high: UInt8, bits: UInt8) = (0, 0, 0)
    if mends & 8 != 0 { harm = (input.byte(), input.byte(), input.byte()) }
    var body = input.rest()
    readRecipient(body)
    if mends & 16 != 0, !body.isEmpty { body = Array(repeatElement(body, count: 9000 / body.count + 1).joined()) }
    guard let preamble = claims(file) else { return }
    guard let proven = authenticated(preamble) else { return }
    file += mends & 4 != 0 ? sealed(body, proven.header) : body
    let place = (Int(harm.place) | Int(harm.high) << 8) % (file.count + 1 - FilePreamble.size) + FilePreamble.size
    let isHarmed = harm.bits != 0 && place < file.count
    if isHarmed { file[place] ^= harm.bits }
    let content = read(file, proven, pieces: Int(mends >> 5) * 1000 + 1000)
    if mends & 4 != 0 { require(content == (isHarmed ? nil : body), "a sealed content is not what is read") }
    guard let content else { return }
    require(sealed(content, proven.header) == Array(file[FilePreamble.size...]), "a file is written in two ways")
}

private enum FuzzFile {
    static let fileKey = SecretBytes(Array(0..<32))
    static let wrapKey = SecretBytes([UInt8](repeating: 7, count: 32))
    static let pair = must("a key") { () throws(CryptoError) in
        try PrivateKey(external: [UInt8](repeating: 9, count: 32).span, type: .x25519)
    }
    static let shelf = [UInt8](repeating: 5, count: 16)
    static let identity = must("an identity") { () throws(FileError) in try RecoveryIdentity(pair) }
}

private func header(_ bytes: [UInt8], isMended: Bool) -> [UInt8] {
    let end = FileHeader.size - FileHeader.codeSize
    let covered = Array((bytes + [UInt8](repeating: 0, count: end)).prefix(end))
    guard isMended, let file = FileID(covered.span.extracting(48..<64)) else {
        return covered + [UInt8](repeating: 0, count: FileHeader.codeSize)
    }
    let keys = must("keys") { () throws(FileError) in try FileKeys(fileKey: FuzzFile.fileKey, file: file) }
    return covered
        + must("a code") { () throws(CryptoError) in
            try keys.header.withSpan { (key) throws(CryptoError) in
                try KeyedDigest(key: key).digest(covered.span).span.array(0, FileHeader.codeSize)
            }
        }
}

/// The headers that make sense. Each is written as it was, and no slot gives another key than was wrapped.
private func claims(_ file: [UInt8]) -> FilePreamble? {
    do throws(FileError) {
        let preamble = try FilePreamble(decoding: file.span)
        let end = FileHeader.size - FileHeader.codeSize
        let copies = [Array(file[..<end]), Array(file[FileHeader.size..<FileHeader.size + end])]
        require(!preamble.claims.isEmpty, "no header, and no refusal")
        for one in preamble.claims {
            require(copies.contains(one.encoded), "a header is written in two ways")
            let (slot, id) = (one.shelfSlot, one.file)
            for key in [
                try slot.fileKey(of: id, under: FuzzFile.wrapKey), try slot.fileKey(of: id, with: FuzzFile.pair),
            ] {
                if let key { require(key.isEqual(to: FuzzFile.fileKey), "a slot gives a key that nobody has wrapped") }
            }
            if let key = try FuzzFile.identity.fileKey(of: one) {
                require(key.isEqual(to: FuzzFile.fileKey), "an identity gets a key that nobody has wrapped")
            }
        }
        return preamble
    } catch {
        if case .library = error { fatalError("a refusal of another kind: \(error)") }
        return nil
    }
}

/// A text of a recipient is written in one way, but for capitals.
private func readRecipient(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let recipient = RecoveryRecipient(text: text) else { return }
    require(recipient.text == text.lowercased(), "a recipient is written in two ways")
}

private func authenticated(_ preamble: FilePreamble) -> AuthenticHeader? {
    do throws(FileError) { return try preamble.authenticate { _ in FuzzFile.fileKey } } catch {
        require(error == .damaged(at: 0) || error == .damaged(at: 4096), "a refusal of another kind: \(error)")
        return nil
    }
}

private func sealed(_ content: [UInt8], _ header: FileHeader) -> [UInt8] {
    must("a file cannot be written") { () throws(FileError) in
        let writer = try SealedFileWriter(header, fileKey: FuzzFile.fileKey)
        var bytes: [UInt8] = []
        try writer.write(content.span, into: &bytes)
        try writer.finish(into: &bytes)
        return bytes
    }
}

/// The content that both readers give; nil when both refuse.
private func read(_ file: [UInt8], _ header: AuthenticHeader, pieces: Int) -> [UInt8]? {
    let (streamed, sought) = (try? stream(file, header, pieces: pieces), try? seek(file, header))
    require(streamed == sought, "two readers of a file do not give the same")
    return streamed
}

private func stream(_ file: [UInt8], _ header: AuthenticHeader, pieces: Int) throws(FileError) -> [UInt8] {
    let (stream, content) = (SealedFileStream(header), SecretBuffer())
    for start in stride(from: FilePreamble.size, to: file.count, by: pieces) {
        try stream.read(file.span.extracting(start..<min(file.count, start + pieces)), into: content)
    }
    try stream.finish(into: content)
    return content.copy().array
}

private func seek(_ file: [UInt8], _ header: AuthenticHeader) throws(FileError) -> [UInt8] {
    let layout = try SealedLayout(size: UInt64(file.count), header.header)
    let last = layout.place(of: layout.chunks - 1)
    let reader = try SealedFileReader(header, layout, last: file.span.extracting(Int(last.lowerBound)...))
    let content = SecretBuffer()
    try reader.open(file.span.extracting(FilePreamble.size...), from: 0, into: content)
    require(UInt64(content.count) == layout.length, "the length of a file is not that of its content")
    return content.copy().array
}

extension FuzzSeeds {
    static func ofFile() -> [[UInt8]] {
        let recipient = Array(FuzzFile.identity.recipient.text.utf8)
        let bodies = [[], [1], Array("the content of a file".utf8), recipient] as [[UInt8]]
        return FileProtection.allCases.flatMap { protection in
            let first = header(protection, 1)
            return bodies.flatMap { body in
                ([0, 1, 3, 5, 7, 21, 29] as [UInt8]).map { mends in
                    let second = mends & 2 != 0 ? header(protection, 2) : first
                    let harm: [UInt8] = mends & 8 != 0 ? [3, 0, 1] : []
                    return [mends] + run(first) + run(second) + harm + body
                }
            }
        }
    }

    private static func run(_ bytes: [UInt8]) -> [UInt8] {
        [UInt8(bytes.count & 0xFF), UInt8(bytes.count >> 8)] + bytes
    }

    private static func header(_ protection: FileProtection, _ generation: UInt64) -> [UInt8] {
        must("a header") { () throws(FileError) in
            guard let file = FileID([UInt8](repeating: UInt8(generation), count: 16).span),
                let shelf = ShelfID(FuzzFile.shelf.span)
            else { throw .invalidHeader }
            let slot =
                protection == .completeUnlessOpen
                ? try FileSlot.wrapping(FuzzFile.fileKey, of: file, shelf: shelf, to: FuzzFile.pair.publicKey)
                : try FileSlot.wrapping(FuzzFile.fileKey, of: file, shelf: shelf, under: FuzzFile.wrapKey)
            let recovery = try FileSlot.wrapping(FuzzFile.fileKey, of: file, for: FuzzFile.identity.recipient)
            let slots = generation == 1 ? [slot] : [slot, recovery]
            let header = try FileHeader(
                protection: protection, chunkExponent: 12, generation: generation, file: file, slots: slots)
            return Array(header.encoded.prefix(FileHeader.Offset.slots + slots.map(\.size).reduce(0, +)))
        }
    }
}
