// Makes and reads protected files with keys that are given, for the tests that hold them against the page.
//
//     file-sealer seal CLASS EXPONENT GENERATION FILE SHELF FILE-KEY SHELF-KEY [RECIPIENT...]   content in, file out
//     file-sealer open CLASS SHELF-KEY                                             file in, content out, in pieces
//     file-sealer seek CLASS SHELF-KEY                                             the same, from the last chunk on
//     file-sealer recover IDENTITY                                                 as open, with an identity of age
//
// Identifiers and keys are hexadecimal. The shelf's key is its secret key; in class 2 its X25519 key, to seal the
// public one. Standard error names the reason of a refusal, and the exit status is 1.

import FileFormat
import Glibc
import KeychainCrypto
import KeychainModel
import LinuxSystem

struct Refused: Error { let reason: String }

/// Not a divisor of any chunk.
let pieceSize = 10_007

func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - 1, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
}

func secret(_ digits: String) -> SecretBytes {
    let key = bytes(digits)
    return SecretBytes(copying: key.span)
}

enum Standard {
    static let input = FileDescriptor(owning: STDIN_FILENO)
    static let output = FileDescriptor(owning: STDOUT_FILENO)
    static let error = FileDescriptor(owning: STDERR_FILENO)
}

/// The next bytes of the input; fewer at its end alone.
func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var span = bytes.mutableSpan
    let filled = try Standard.input.readFully(into: &span)
    return Array(bytes[..<filled])
}

func seal(_ words: [String]) throws {
    guard let number = UInt8(words[0]), let protection = FileProtection(rawValue: number),
        let exponent = UInt8(words[1]), let generation = UInt64(words[2]),
        let file = FileID(bytes(words[3]).span), let shelf = ShelfID(bytes(words[4]).span)
    else { throw Refused(reason: "usage") }
    let fileKey = secret(words[5])
    let slot =
        protection == .completeUnlessOpen
        ? try FileSlot.wrapping(
            fileKey, of: file, shelf: shelf, to: PublicKey(external: bytes(words[6]).span, type: .x25519))
        : try FileSlot.wrapping(fileKey, of: file, shelf: shelf, under: secret(words[6]))
    let header = try FileHeader(
        protection: protection, chunkExponent: exponent, generation: generation, file: file,
        slots: [slot] + words[7...].map { try recoverySlot(fileKey, file, $0) })
    let writer = try SealedFileWriter(header, fileKey: fileKey)
    var sealed = writer.preamble
    while true {
        let piece = try read(pieceSize)
        try writer.write(piece.span, into: &sealed)
        if piece.count < pieceSize { try writer.finish(into: &sealed) }
        try Standard.output.writeFully(sealed.span)
        sealed.removeAll(keepingCapacity: true)
        if piece.count < pieceSize { return }
    }
}

func recoverySlot(_ fileKey: SecretBytes, _ file: FileID, _ text: String) throws -> FileSlot {
    guard let recipient = RecoveryRecipient(text: text) else { throw Refused(reason: "usage") }
    return try FileSlot.wrapping(fileKey, of: file, for: recipient)
}

func recovered(_ text: String, of preamble: [UInt8]) throws -> AuthenticHeader {
    let identity = try RecoveryIdentity(text: Array(text.utf8).span)
    let proven = try FilePreamble(decoding: preamble.span).authenticate { try? identity.fileKey(of: $0) }
    guard let proven else { throw Refused(reason: "no key") }
    return proven
}

func header(_ words: [String], of preamble: [UInt8]) throws -> AuthenticHeader {
    let shelfKey = secret(words[1])
    let proven = try FilePreamble(decoding: preamble.span).authenticate { header in
        let slot = header.shelfSlot
        guard words[0] == "2" else { return try? slot.fileKey(of: header.file, under: shelfKey) }
        return try? slot.fileKey(
            of: header.file, with: shelfKey.withSpan { try PrivateKey(external: $0, type: .x25519) })
    }
    guard let proven else { throw Refused(reason: "no key") }
    guard String(proven.header.protection.rawValue) == words[0] else { throw Refused(reason: "another class") }
    return proven
}

func emit(_ content: SecretBuffer) throws {
    try content.withSpan { try Standard.output.writeFully($0) }
    content.removeAll()
}

func open(_ header: AuthenticHeader) throws {
    let stream = SealedFileStream(header)
    let content = SecretBuffer()
    while true {
        let piece = try read(pieceSize)
        // The verified content comes out, also before damage.
        do { try stream.read(piece.span, into: content) } catch {
            try emit(content)
            throw error
        }
        if piece.count < pieceSize { break }
        try emit(content)
    }
    do { try stream.finish(into: content) } catch {
        try emit(content)
        throw error
    }
    try emit(content)
}

func seek(_ words: [String]) throws {
    var file: [UInt8] = []
    while true {
        let piece = try read(1 << 20)
        file += piece
        if piece.count < 1 << 20 { break }
    }
    let proven = try header(words, of: Array(file.prefix(FilePreamble.size)))
    let layout = try SealedLayout(size: UInt64(file.count), proven.header)
    func chunk(_ index: UInt64) -> [UInt8] {
        let place = layout.place(of: index)
        return Array(file[Int(place.lowerBound)..<Int(place.upperBound)])
    }
    let reader = try SealedFileReader(proven, layout, last: chunk(layout.chunks - 1).span)
    var content: [UInt8] = []
    for index in (0..<layout.chunks).reversed() {
        let part = SecretBuffer()
        try reader.open(chunk(index).span, from: index, into: part)
        content = part.withSpan { $0.array(0, $0.count) } + content
    }
    guard UInt64(content.count) == layout.length else { throw Refused(reason: "another length") }
    try Standard.output.writeFully(content.span)
}

func name(_ error: any Error) -> String {
    switch error {
    case FileError.notProtected: "not protected"
    case FileError.unsupported(let field, let value): "unsupported \(field) \(value)"
    case FileError.damaged(let offset): "damaged \(offset)"
    case let refused as Refused: refused.reason
    default: "\(error)"
    }
}

do {
    let words = Array(CommandLine.arguments.dropFirst(2))
    switch (CommandLine.arguments.dropFirst().first, words.count) {
    case ("seal", 7...): try seal(words)
    case ("open", 2): try open(header(words, of: read(FilePreamble.size)))
    case ("recover", 1): try open(recovered(words[0], of: read(FilePreamble.size)))
    case ("seek", 2): try seek(words)
    default: throw Refused(reason: "usage")
    }
} catch {
    try Standard.error.writeFully(Array("\(name(error))\n".utf8).span)
    exit(1)
}
