package import FileFormat
package import KeychainClient
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The keychain as the source of file keys.
package struct FileKeychain: Sendable {
    /// Asks the user where a shelf wants that.
    private let connection: any KeychainConnection
    /// The keychain whose state counts, the same for all files of it.
    let device: any KeychainConnection

    /// - Parameter asking: the way to the same keychain that asks the user; nil where nobody is asked.
    package init(_ connection: any KeychainConnection, asking: (any KeychainConnection)? = nil) {
        (device, self.connection) = (connection, asking ?? connection)
    }

    /// Makes the key and the header of a new file.
    ///
    /// - Parameters:
    ///   - chunkExponent: a chunk has two to this power bytes.
    ///   - recipients: who opens the file without the keychain, too.
    /// - Throws: the refusal of the keychain.
    package func newFile(
        in place: ShelfPlace, chunkExponent: UInt8, recovery recipients: [RecoveryRecipient] = []
    ) throws(Refusal) -> (writer: SealedFileWriter, header: FileHeader) {
        let file = FileID()
        guard case .made(let made) = try ask(.make(file, place)) else { throw .malformed("the key of a file") }
        let known = Set(made.recovery.map(\.shelf))
        let added = recipients.filter { !known.contains($0.id) }
        guard known.count + added.count <= RecoveryRecipient.most else { throw .manyRecipients }
        let slots = made.recovery + (try made.key.slots(for: added, of: file))
        return try formatting { () throws(FileError) in
            let header = try FileHeader(
                protection: place.protection, chunkExponent: chunkExponent, file: file, slots: [made.slot] + slots)
            return (try SealedFileWriter(header, fileKey: made.key), header)
        }
    }

    /// The recovery recipients that each new file of the keychain has, unless it is of this device alone.
    ///
    /// - Throws: the refusal of the keychain.
    package func recovery() throws(Refusal) -> [RecoveryRecipient] {
        guard case .details(let details) = try device.device(.details, passcodes: []) else {
            throw .malformed("the device's details")
        }
        return details.recovery.texts.compactMap { RecoveryRecipient(text: $0) }
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
        guard let header else { throw refusal ?? FileError.damaged(at: 0).refusal }
        return header
    }

    /// The key of a file, as its header claims it.
    ///
    /// - Throws: the refusal of the keychain.
    func key(of header: FileHeader) throws(Refusal) -> SecretBytes {
        guard case .key(let key) = try ask(.open(FileKeyClaim(header))) else { throw .malformed("the key of a file") }
        return key
    }

    /// Has the key of a file wrapped by the shelf of another place.
    ///
    /// - Throws: the refusal of the keychain.
    func rewrap(_ header: FileHeader, to place: ShelfPlace) throws(Refusal) -> FileSlot {
        guard case .slot(let slot) = try ask(.rewrap(FileKeyClaim(header), to: place)) else {
            throw .malformed("the key of a file")
        }
        return slot
    }

    /// Whether files of a class are open now, also those whose key a program has already.
    ///
    /// - Throws: the refusal of a keychain that does not say.
    func isOpen(_ protection: FileProtection) throws(Refusal) -> Bool {
        guard protection.closesWithDevice else { return true }
        guard case .status(let status) = try device.device(.status, passcodes: []) else {
            throw .malformed("the device status")
        }
        return protection.isOpen(status.lockState)
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
    /// - Parameter everywhere: also on the other machines of the circle.
    /// - Throws: the refusal of the keychain; `errSecParam` for a shelf that other machines may have and that is not to
    ///   be deleted there.
    package func delete(_ shelf: ShelfID, everywhere: Bool) throws(Refusal) {
        _ = try ask(.deleteShelf(shelf, everywhere: everywhere))
    }

    private func ask(_ request: FileRequest) throws(Refusal) -> FileReply {
        guard case .file(let reply) = try connection.key(.file(request)) else {
            throw .malformed("the answer to a file request")
        }
        return reply
    }
}

extension SecretBytes {
    /// A file's key, wrapped to each of its recovery recipients.
    func slots(for recipients: [RecoveryRecipient], of file: FileID) throws(Refusal) -> [FileSlot] {
        var slots: [FileSlot] = []
        for recipient in recipients {
            slots.append(
                try formatting { () throws(FileError) in try FileSlot.wrapping(self, of: file, for: recipient) })
        }
        return slots
    }
}

extension FileKeyClaim {
    fileprivate init(_ header: FileHeader) {
        self.init(file: header.file, protection: header.protection, slot: header.shelfSlot)
    }
}

extension FileProtection {
    /// Whether open files of the class close when the keychain does. Those of class B go on.
    var closesWithDevice: Bool { self == .complete || self == .completeUntilFirstUserAuthentication }

    /// Whether open files of the class go on in this state.
    func isOpen(_ state: DeviceStatus.LockState) -> Bool {
        switch self {
        case .complete: state == .unlocked
        case .completeUntilFirstUserAuthentication: state != .beforeFirstUnlock
        case .completeUnlessOpen, .none: true
        }
    }
}
