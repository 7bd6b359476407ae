import Glibc
import LinuxSystem
package import SyncFormat

/// Where machines that pair leave their messages for each other. A newcomer knows no circle yet, nor has it a token: it
/// is a thing apart from ``SyncTransport``, at the same place. It is not trusted either.
package protocol PairingPlace: Sendable {
    /// The messages that are there, those of one pairing first.
    ///
    /// - Parameter most: so many at most.
    /// - Throws: ``TransportProblem``.
    func messages(of session: PairingID, atMost most: Int) throws(TransportProblem) -> [PairingMessage]

    /// Creates the slot of a message. One that is taken stays as it is, which a look shows.
    ///
    /// - Throws: ``TransportProblem``.
    func put(_ message: PairingMessage) throws(TransportProblem)

    /// Takes the messages of a pairing away.
    ///
    /// - Throws: ``TransportProblem``.
    func remove(_ session: PairingID) throws(TransportProblem)

    /// Takes away what other pairings have left, also where a kill has left less than a message.
    ///
    /// - Throws: ``TransportProblem``.
    func removeAll(but session: PairingID) throws(TransportProblem)
}

/// The messages of pairings in a folder, `FOLDER/pair/SESSION/STEP`.
package struct FolderPairings: PairingPlace {
    private let root: String
    private static let pairs = "pair"
    /// Pairings, and files of one, that are taken away in one go: somebody may have filled the place to hold it up.
    private static let (leftPairings, leftFiles) = (256, 64)

    /// - Parameter folder: is there already.
    package init(_ folder: String) { root = folder }

    package func messages(of session: PairingID, atMost most: Int) throws(TransportProblem) -> [PairingMessage] {
        try withFolder { (folder) throws(SystemError) in
            guard let pairs = try folder.folder(Self.pairs) else { return [] }
            let own = session.text
            // The newest are not known: a place with more than these holds up those who pair there.
            let names = try pairs.names(atMost: TransportLimits.names).sorted { $0 == own || $1 != own && $0 < $1 }
            var found: [PairingMessage] = []
            for name in names where found.count + Self.slots <= most {
                found += messages(in: pairs, name)
            }
            return found
        }
    }

    private static var slots: Int { PairingSlot.Step.allCases.count }

    /// The messages of one pairing. Others, and those that cannot be read, are passed over.
    private func messages(in pairs: HeldFolder, _ name: String) -> [PairingMessage] {
        guard let folder = (try? pairs.folder(name)) ?? nil else { return [] }
        return PairingSlot.Step.allCases.compactMap { step in
            let content = (try? folder.content(of: String(step.rawValue), limit: PairingMessage.mostBytes)) ?? nil
            guard let content, let message = try? PairingMessage(decoding: content), message.slot.step == step,
                message.slot.session.text == name
            else { return nil }
            return message
        }
    }

    package func put(_ message: PairingMessage) throws(TransportProblem) {
        try withFolder { (folder) throws(SystemError) in
            let session = try folder.makeFolder(Self.pairs).makeFolder(message.slot.session.text)
            _ = try session.create(String(message.slot.step.rawValue), with: message.bytes.span)
        }
    }

    package func remove(_ session: PairingID) throws(TransportProblem) {
        try withFolder { (folder) throws(SystemError) in
            if let pairs = try folder.folder(Self.pairs) { try Self.remove(session.text, in: pairs) }
        }
    }

    package func removeAll(but session: PairingID) throws(TransportProblem) {
        try withFolder { (folder) throws(SystemError) in
            guard let pairs = try folder.folder(Self.pairs) else { return }
            let others = try pairs.names(atMost: TransportLimits.names)
                .filter { $0 != session.text && PairingID.isText($0) }
            // Something that somebody keeps there hinders nobody.
            for name in others.prefix(Self.leftPairings) { try? Self.remove(name, in: pairs) }
        }
    }

    private static func remove(_ name: String, in pairs: HeldFolder) throws(SystemError) {
        guard let folder = try pairs.folder(name) else { return }
        for message in try folder.names(atMost: TransportLimits.names).prefix(leftFiles) {
            // One that a power cut brings back goes with the next pairing.
            try folder.discard(message)
        }
        _ = unsafe rmdir("\(pairs.path)/\(name)")
    }

    private func withFolder<Result>(
        _ body: (HeldFolder) throws(SystemError) -> Result
    ) throws(TransportProblem) -> Result {
        do throws(SystemError) { return try body(try HeldFolder(root)) } catch {
            throw error.code == ENOENT || error.code == ENOTDIR ? .missing(root) : .system(error)
        }
    }
}

extension PairingID {
    fileprivate static func isText(_ name: String) -> Bool {
        UInt128(name, radix: 16).map { PairingID(number: $0).text == name } ?? false
    }
}
