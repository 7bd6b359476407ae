package import FileFormat
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The content of protected files, from one descriptor to another in constant memory.
package struct FileContent: Sendable {
    let keychain: FileKeychain
    /// How much is read at once.
    private static let pieceSize = 1 << 20
    /// How much is read first: the locked memory of a piece is made and wiped for each file, and most are small.
    private static let firstPieceSize = 1 << 16

    package init(_ keychain: FileKeychain) { self.keychain = keychain }

    /// Encrypts everything that comes from a descriptor.
    ///
    /// - Parameters:
    ///   - recipients: who opens the file without the keychain, too.
    ///   - name: of the file, for refusals.
    ///   - told: hears how many bytes were read, piece by piece.
    ///   - checkEnd: whether the end of the input is that of the content.
    /// - Throws: the refusal of the keychain; what reading, writing or `checkEnd` says. The output is no whole file
    ///   then.
    package func protect(
        _ input: FileDescriptor, to output: FileDescriptor, in place: ShelfPlace, chunkExponent: UInt8 = 16,
        recovery recipients: [RecoveryRecipient] = [], name: String, told: (Int) -> Void = { _ in },
        checkEnd: () throws(Refusal) -> Void = { () throws(Refusal) in }
    ) throws(Refusal) {
        let writer = try keychain.newFile(in: place, chunkExponent: chunkExponent, recovery: recipients).writer
        var sealed = writer.preamble
        try Self.pieces(of: input, name) { (piece) throws(Refusal) in
            try formatting { () throws(FileError) in try writer.write(piece, into: &sealed) }
            try write(&sealed, to: output, name)
            told(piece.count)
        }
        try checkEnd()
        try formatting { () throws(FileError) in try writer.finish(into: &sealed) }
        try write(&sealed, to: output, name)
    }

    /// Decrypts a protected file that comes from a descriptor. The output is verified; whether it is all of the file,
    /// the end of the call says.
    ///
    /// - Parameters:
    ///   - opener: has the key.
    ///   - told: hears how many bytes were read, piece by piece.
    /// - Throws: the refusal of the opener, `errSecDecode` (`file.damaged`) and its kin; the failure of reading or
    ///   writing.
    package static func open(
        _ input: FileDescriptor, by opener: any FileOpener, name: String, told: (Int) -> Void = { _ in },
        into output: (Span<UInt8>) throws(Refusal) -> Void
    ) throws(Refusal) {
        let stream = SealedFileStream(try opener.authenticate(try preamble(of: input, name)))
        let content = SecretBuffer(capacity: 0)
        try pieces(of: input, name) { (piece) throws(Refusal) in
            let result = Result { () throws(FileError) in try stream.read(piece, into: content) }
            // The content before the damage is verified.
            try give(content, output)
            try formatting(result.get)
            told(piece.count)
        }
        try formatting { () throws(FileError) in try stream.finish(into: content) }
        try give(content, output)
    }

    /// Writes a protected file again whose key another shelf wraps. The chunks are copied as they are: whether they are
    /// whole, reading says.
    ///
    /// - Parameter told: hears how many bytes were copied, piece by piece.
    /// - Returns: false when the file is in that place already; nothing was written then.
    /// - Throws: as ``open(_:by:name:told:into:)``.
    package func move(
        _ input: FileDescriptor, to output: FileDescriptor, in place: ShelfPlace, name: String,
        told: (Int) -> Void = { _ in }
    ) throws(Refusal) -> Bool {
        let header = try keychain.authenticate(try Self.preamble(of: input, name))
        let slot = try keychain.rewrap(header.header, to: place)
        guard slot.shelf != header.header.shelfSlot.shelf else { return false }
        let bytes = try formatting { () throws(FileError) in
            try FilePreamble.moved(header, to: place.protection, slot)
        }
        try copy(input, behind: bytes, to: output, name, told)
        return true
    }

    /// Writes a beginning, and the chunks of a file behind its own.
    func copy(
        _ input: FileDescriptor, behind beginning: [UInt8], to output: FileDescriptor, _ name: String,
        _ told: (Int) -> Void
    ) throws(Refusal) {
        try accessing(name) { () throws(SystemError) in try output.writeFully(beginning.span) }
        try Self.pieces(of: input, name) { (piece) throws(Refusal) in
            try accessing(name) { () throws(SystemError) in try output.writeFully(piece) }
            told(piece.count)
        }
    }

    /// The beginning of a file, of which nothing is known to be authentic.
    static func preamble(of input: FileDescriptor, _ name: String) throws(Refusal) -> FilePreamble {
        let bytes = try read(FilePreamble.size, of: input, name)
        return try formatting { () throws(FileError) in try FilePreamble(decoding: bytes.span) }
    }

    /// The header that a file claims, and the length of its content by its size, without a key.
    ///
    /// - Parameter size: nil for a pipe.
    /// - Throws: `errSecDecode` (`file.damaged`) and its kin; what reading says.
    package static func claim(
        of input: FileDescriptor, size: UInt64?, _ name: String
    ) throws(Refusal) -> (header: FileHeader, length: UInt64?) {
        let preamble = try preamble(of: input, name)
        return try formatting { () throws(FileError) in
            // There is at least one.
            guard let header = preamble.claims.first else { throw .notProtected }
            guard let size else { return (header, nil) }
            return (header, try SealedLayout(size: size, header).length)
        }
    }

    /// The same for a regular file.
    ///
    /// - Throws: as the other; the reason of the file system.
    package static func claim(of path: String) throws(Refusal) -> (header: FileHeader, length: UInt64) {
        let (file, size) = try accessing(path) { () throws(SystemError) in
            let file = try FileDescriptor.regular(path)
            return (file, UInt64(clamping: try FileStatus(of: file).size))
        }
        let claim = try claim(of: file, size: size, path)
        return (claim.header, claim.length ?? 0)
    }

    /// Encrypts a file in its place, or gives a protected one to another shelf.
    ///
    /// - Parameters:
    ///   - recipients: of a file that is encrypted; a protected one keeps its own.
    ///   - told: hears how many bytes were read, piece by piece.
    /// - Throws: the refusal of the keychain; the reason of the file system. The file is as it was then.
    package func place(
        _ path: String, in place: ShelfPlace, recovery recipients: [RecoveryRecipient] = [],
        told: (Int) -> Void = { _ in }
    ) throws(Refusal) {
        let input = try accessing(path) { () throws(SystemError) in try FileDescriptor.regular(path) }
        let replaced = try accessing(path) { () throws(SystemError) in
            try ReplacedFile(converting: input, at: path)
        }
        if try isProtected(input, path) {
            guard try move(input, to: replaced.output, in: place, name: path, told: told) else { return }
        } else {
            try protect(input, to: replaced.output, in: place, recovery: recipients, name: path, told: told)
        }
        try accessing(path, replaced.commit)
    }

    /// Gives a protected file to another shelf, in its place.
    ///
    /// - Parameter told: hears how many bytes were copied, piece by piece.
    /// - Throws: as ``place(_:in:recovery:told:)``; the rule `file.not-protected`.
    package func move(_ path: String, to place: ShelfPlace, told: (Int) -> Void) throws(Refusal) {
        let input = try accessing(path) { () throws(SystemError) in try FileDescriptor.regular(path) }
        guard try isProtected(input, path) else { throw FileError.notProtected.refusal }
        try self.place(path, in: place, told: told)
    }

    /// Gives a protected file other recovery recipients, in its place. Copies that were made before keep theirs.
    ///
    /// - Parameters:
    ///   - recipients: all that it has from now on.
    ///   - told: hears how many bytes were copied, piece by piece.
    /// - Throws: the refusal of the keychain; the reason of the file system. The file is as it was then.
    package func setRecovery(
        _ recipients: [RecoveryRecipient], of path: String, told: (Int) -> Void
    ) throws(Refusal) {
        let input = try accessing(path) { () throws(SystemError) in try FileDescriptor.regular(path) }
        let replaced = try accessing(path) { () throws(SystemError) in
            try ReplacedFile(converting: input, at: path)
        }
        let header = try keychain.authenticate(try Self.preamble(of: input, path))
        let slots = try keychain.key(of: header.header).slots(for: recipients, of: header.header.file)
        let bytes = try formatting { () throws(FileError) in try FilePreamble.recoverable(header, by: slots) }
        try copy(input, behind: bytes, to: replaced.output, path, told)
        try accessing(path, replaced.commit)
    }

    /// Refuses a file that is protected already: protected once more, it would be read twice.
    ///
    /// - Throws: the rule `file.protected`; `errSecDecode` (`file.damaged`) and its kin; what reading says.
    package func requirePlain(_ file: FileDescriptor, _ name: String) throws(Refusal) {
        guard try !isProtected(file, name) else { throw .isProtected }
    }

    /// Whether a file claims to be a protected one, whole or not.
    private func isProtected(_ file: FileDescriptor, _ name: String) throws(Refusal) -> Bool {
        let bytes = try accessing(name) { () throws(SystemError) in try file.read(at: 0, count: FilePreamble.size) }
        do throws(FileError) { _ = try FilePreamble(decoding: bytes.span) } catch {
            if error == .notProtected { return false }
            throw error.refusal
        }
        return true
    }

    private static func give(
        _ content: SecretBuffer, _ output: (Span<UInt8>) throws(Refusal) -> Void
    ) throws(Refusal) {
        try content.withSpan(output)
        content.removeAll()
    }

    private static func pieces(
        of input: FileDescriptor, _ name: String, _ body: (Span<UInt8>) throws(Refusal) -> Void
    ) throws(Refusal) {
        var (piece, isWhole) = (SecretBytes(count: firstPieceSize), true)
        while isWhole {
            let count = try accessing(name) { () throws(SystemError) in
                try piece.withMutableSpan { (span) throws(SystemError) in try input.readFully(into: &span) }
            }
            try piece.withSpan { (span) throws(Refusal) in try body(span.extracting(..<count)) }
            isWhole = count == piece.count
            if isWhole, count < pieceSize { piece = SecretBytes(count: pieceSize) }
        }
    }

    private static func read(_ count: Int, of input: FileDescriptor, _ name: String) throws(Refusal) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try accessing(name) { () throws(SystemError) in
            var span = bytes.mutableSpan
            return try input.readFully(into: &span)
        }
        return Array(bytes.prefix(filled))
    }

    private func write(_ bytes: inout [UInt8], to output: FileDescriptor, _ name: String) throws(Refusal) {
        try accessing(name) { () throws(SystemError) in try output.writeFully(bytes.span) }
        bytes.removeAll(keepingCapacity: true)
    }
}
