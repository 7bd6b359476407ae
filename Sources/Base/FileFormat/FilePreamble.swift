import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// The beginning of a protected file: its header twice, so that one may be lost while it is written.
///
/// A copy ends in HMAC-SHA256(header key, all of it before). The code commits to the key, which AES-GCM does not: no
/// second key opens the same file.
package struct FilePreamble: Sendable {
    /// The size of both copies in bytes: where the first chunk begins.
    package static let size = 2 * FileHeader.size

    fileprivate struct Copy {
        let header: FileHeader
        let bytes: [UInt8]
        let offset: UInt64
    }

    /// The copies that make sense, the one that counts first. The second is left out if it is the same.
    private let copies: [Copy]

    /// Reads the copies, without a key: nothing is known to be authentic.
    ///
    /// - Parameter bytes: the first ``size`` bytes of the file, or all of a shorter one.
    /// - Throws: `FileError.notProtected`; `.unsupported` when both copies are of another release, or one is and the
    ///   other does not make sense; `.damaged` when neither makes sense, or the file is shorter than both.
    package init(decoding bytes: Span<UInt8>) throws(FileError) {
        guard bytes.count >= Self.size else {
            let magic = FileHeader.magic
            let begins = bytes.count >= magic.count && bytes.extracting(..<magic.count).isEqual(to: magic.span)
            throw begins ? .damaged(at: UInt64(bytes.count)) : .notProtected
        }
        var (copies, failures): ([Copy], [FileError]) = ([], [])
        for offset in [0, FileHeader.size] {
            do throws(FileError) { copies.append(try Copy(bytes, at: offset)) } catch { failures.append(error) }
        }
        guard let first = copies.first else { throw failures.first { $0 != .notProtected } ?? .notProtected }
        if copies.count == 2, copies[1].bytes == first.bytes { copies.removeLast() }
        // The order of equal generations is that of the file: the sort is stable.
        self.copies = copies.sorted { $0.header.generation > $1.header.generation }
    }

    /// The claims of the copies, the one that counts first; at least one. Nobody has vouched for it: it is good for
    /// showing, and for asking for a key.
    package var claims: [FileHeader] { copies.map(\.header) }

    /// Finds the copy that counts, among those that are authentic.
    ///
    /// - Parameter fileKey: gives the key of a header's slots; nil when they do not open, for which it has the reason.
    /// - Returns: nil when no copy's slots gave a key.
    /// - Throws: `FileError.damaged` when keys were given, but none proves its copy; `.library`.
    package func authenticate(_ fileKey: (FileHeader) -> SecretBytes?) throws(FileError) -> AuthenticHeader? {
        var failure: FileError?
        for copy in copies {
            guard let key = fileKey(copy.header) else { continue }
            let keys = try FileKeys(fileKey: key, file: copy.header.file)
            if try copy.isAuthentic(keys) { return AuthenticHeader(copy.header, keys) }
            failure = failure ?? .damaged(at: copy.offset)
        }
        if let failure { throw failure }
        return nil
    }

    /// Writes one copy; a new file begins with two.
    ///
    /// - Throws: `FileError.library`.
    package static func copy(_ header: FileHeader, _ keys: FileKeys) throws(FileError) -> [UInt8] {
        let bytes = header.encoded
        return bytes + (try code(bytes.span, keys))
    }

    /// Writes the beginning of a file whose key another shelf has wrapped. The chunks and all other slots stay as they
    /// are.
    ///
    /// - Throws: `FileError.invalidHeader` for a slot that is not of this class; `.library`.
    package static func moved(
        _ header: AuthenticHeader, to protection: FileProtection, _ slot: FileSlot
    ) throws(FileError) -> [UInt8] {
        let old = header.header
        return try rewritten(header, protection, old.slots.map { $0 == old.shelfSlot ? slot : $0 })
    }

    /// Writes the beginning of a file that gets other recovery recipients. The chunks and all other slots stay as they
    /// are.
    ///
    /// - Throws: `FileError.invalidHeader` for more slots than a header has; `.library`.
    package static func recoverable(_ header: AuthenticHeader, by slots: [FileSlot]) throws(FileError) -> [UInt8] {
        let old = header.header
        let kept = old.slots.filter { !old.recoverySlots.contains($0) }
        return try rewritten(header, old.protection, kept + slots)
    }

    private static func rewritten(
        _ header: AuthenticHeader, _ protection: FileProtection, _ slots: [FileSlot]
    ) throws(FileError) -> [UInt8] {
        let old = header.header
        let new = try FileHeader(
            protection: protection, chunkExponent: old.chunkExponent, generation: old.generation &+ 1, file: old.file,
            slots: slots)
        let copy = try Self.copy(new, header.keys)
        return copy + copy
    }

    fileprivate static func code(_ bytes: Span<UInt8>, _ keys: FileKeys) throws(FileError) -> [UInt8] {
        try computing { () throws(CryptoError) in
            try keys.header.withSpan { (key) throws(CryptoError) in
                try KeyedDigest(key: key).digest(bytes).span.array(0, FileHeader.codeSize)
            }
        }
    }
}

extension FilePreamble.Copy {
    init(_ preamble: Span<UInt8>, at offset: Int) throws(FileError) {
        bytes = preamble.array(offset, FileHeader.size)
        self.offset = UInt64(offset)
        let end = offset + FileHeader.size - FileHeader.codeSize
        header = try FileHeader(decoding: preamble.extracting(offset..<end), at: UInt64(offset))
    }

    func isAuthentic(_ keys: FileKeys) throws(FileError) -> Bool {
        let end = bytes.count - FileHeader.codeSize
        let code = try FilePreamble.code(bytes.span.extracting(..<end), keys)
        return ConstantTime.areEqual(code.span, bytes.span.extracting(end...))
    }
}

/// A header that the file's key has proved, with the keys of what follows it. Only this module makes one.
package struct AuthenticHeader: Sendable {
    package let header: FileHeader
    let keys: FileKeys

    init(_ header: FileHeader, _ keys: FileKeys) { (self.header, self.keys) = (header, keys) }
}
