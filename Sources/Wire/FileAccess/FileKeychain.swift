package import FileFormat
package import KeychainClient
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The keychain as the source of file keys.
package struct FileKeychain: Sendable {
    private let connection: any KeychainConnection

    package init(_ connection: any KeychainConnection) { self.connection = connection }

    /// Makes the key and the header of a new file.
    ///
    /// - Parameter chunkExponent: a chunk has two to this power bytes.
    /// - Throws: the refusal of the keychain.
    package func newFile(
        in place: ShelfPlace, chunkExponent: UInt8
    ) throws(Refusal) -> SealedFileWriter {
        let file = FileID()
        guard case .made(let made) = try ask(.make(file, place)) else { throw .malformed("the key of a file") }
        return try formatting { () throws(FileError) in
            let header = try FileHeader(
                protection: place.protection, chunkExponent: chunkExponent, file: file, slots: [made.slot])
            return try SealedFileWriter(header, fileKey: made.key)
        }
    }

    /// Proves a file's header with the key that its shelf gives out.
    ///
    /// - Throws: the refusal of the keychain; `errSecDecode` (`file.damaged`) when no header is authentic.
    package func authenticate(_ preamble: FilePreamble) throws(Refusal) -> AuthenticHeader {
        var refusal: Refusal?
        let header = try formatting { () throws(FileError) in
            try preamble.authenticate { header in
                do throws(Refusal) { return try key(of: header) } catch {
                    refusal = refusal ?? error
                    return nil
                }
            }
        }
        guard let header else { throw refusal ?? .damaged(at: 0) }
        return header
    }

    private func key(of header: FileHeader) throws(Refusal) -> SecretBytes {
        let claim = FileKeyClaim(file: header.file, protection: header.protection, slot: header.shelfSlot)
        guard case .key(let key) = try ask(.open(claim)) else { throw .malformed("the key of a file") }
        return key
    }

    /// The program's shelves.
    ///
    /// - Throws: the refusal of the keychain.
    package func shelves() throws(Refusal) -> [ShelfDescription] {
        var found: [ShelfDescription] = []
        while true {
            guard case .shelves(let page) = try ask(.shelves(after: found.last?.id)) else {
                throw .malformed("a page of shelves")
            }
            if page.isEmpty { return found }
            found += page
        }
    }

    /// Deletes a shelf: none of its files opens again.
    ///
    /// - Throws: the refusal of the keychain.
    package func delete(_ shelf: ShelfID) throws(Refusal) { _ = try ask(.deleteShelf(shelf)) }

    private func ask(_ request: FileRequest) throws(Refusal) -> FileReply {
        guard case .file(let reply) = try connection.key(.file(request)) else {
            throw .malformed("the answer to a file request")
        }
        return reply
    }
}
