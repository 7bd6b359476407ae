package import KeychainModel
package import LinuxSystem
package import SyncFormat

/// The keys of this machine in a circle, and the cryptography that merging needs. Merging has none of its own.
///
/// An implementation keeps generations, and signs for one member.
package protocol CircleKeys: AnyObject {
    /// SHA-256.
    func hash(_ bytes: [UInt8]) -> BatchHash
    /// Whether a signature of these bytes was made with the private half of a signing key.
    func isSignature(_ signature: [UInt8], of bytes: [UInt8], by signingKey: [UInt8]) -> Bool
    /// Signs with this machine's key.
    func sign(_ bytes: [UInt8]) -> [UInt8]
    /// Thirty-two bytes that no batch had before.
    func makeSalt() -> BatchHash

    /// The number of a generation whose keys are there; nil when they are not.
    func number(of generation: GenerationID) -> UInt32?
    /// Makes the keys of a generation, with a share for each of the recipients; nil where that cannot be now.
    func makeGeneration(_ number: UInt32, for recipients: [MemberID: MemberKeys]) -> Generation?
    /// The keys of a generation for more recipients; nil when they are not there, or cannot be shared now.
    func share(_ generation: GenerationID, with recipients: [MemberID: MemberKeys]) -> Generation?
    /// Takes what a batch states, and opens the shares for this machine: their keys are taken if they are those of
    /// number and commitment. The batch comes without its sealed part, and may come again.
    ///
    /// - Returns: false when the batch, whose turn it is, has to wait: there is no room for what it states, and nothing
    ///   of it was taken.
    @discardableResult
    func take(_ batch: SyncBatch, _ standing: BatchStanding) -> Bool

    /// Seals a content with keys of the header's generation.
    func seal(_ content: SecretBytes, _ header: SyncHeader, associated: (_ sealedSize: Int) -> [UInt8]) -> [UInt8]
    /// Opens a sealed part; nil when it is not what was sealed with these keys and this header.
    func open(_ sealed: [UInt8], _ header: SyncHeader, associated: [UInt8]) -> SecretBytes?
    /// Whether the keys of the protection class that needs an unlocked machine are there.
    var isUnlocked: Bool { get }
    /// Puts the bodies of records into boxes of their own, which no other record and no other batch has; nil while
    /// locked.
    func box(_ records: [SyncRecord], _ header: SyncHeader) -> [SyncRecord]?
    /// Takes records' bodies out of their boxes, on an unlocked machine; nil for one that is no such box.
    func unbox(_ boxes: [(record: SyncRecord, header: SyncHeader)]) -> [SyncRecord?]
    /// The identifiers that records have by their classes and their bodies; nil for a body that is none.
    func recordIDs(of records: [SyncRecord]) -> [RecordID?]
    /// Why the keys have failed; nil while they have not. Nothing that was done with them counts then.
    var failure: Refusal? { get }
}

/// The standing of a batch with the keys that take it.
package enum BatchStanding: Sendable {
    /// Its keys are sought, and nothing else is taken; its author may be unknown.
    case sought
    /// It is its turn, and it counts if there is room.
    case next
    /// It counts.
    case counted
}

extension CircleKeys {
    package var failure: Refusal? { nil }

    /// Takes records out of their boxes where they are in such, and checks their identifiers.
    ///
    /// - Parameter isNamed: whether each must have the identifier that its body says.
    /// - Returns: nil for one that is no such box, has another's identifier, or is a shelf without a shelf's body.
    func open(_ records: [(record: SyncRecord, header: SyncHeader)], isNamed: Bool) -> [SyncRecord?] {
        var unboxed = unbox(records.filter(\.record.isBoxed))[...]
        let bodies = records.map { $0.record.isBoxed ? unboxed.popFirst() ?? nil : $0.record }
        let whole = bodies.map { body in body.flatMap { $0.hasBodyOfKind ? $0 : nil } }
        guard isNamed else { return whole }
        var names = recordIDs(of: whole.compactMap(\.self))[...]
        return whole.map { body in body.flatMap { names.popFirst() == $0.rid ? $0 : nil } }
    }

    /// Whether the keys of a generation are there.
    package func holds(_ generation: GenerationID) -> Bool { number(of: generation) != nil }

    /// The identifier of a member by its keys.
    package func member(_ keys: MemberKeys) -> MemberID { MemberID(hash(keys.bytes).bytes) }
}
