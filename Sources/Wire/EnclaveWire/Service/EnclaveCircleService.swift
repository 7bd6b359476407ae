package import KeychainModel
package import KeychainWire
package import LinuxSystem
package import SyncFormat

/// The enclave's calls for a circle of machines (docs/formats/sync.md).
///
/// The enclave makes the keys of this machine and of generations, and keeps them with the members of the circle, as it
/// has verified them itself from the genesis. It signs what it has stated, and its user is asked before a machine comes
/// or goes. A daemon carries bytes. No key leaves but in a share for a member that the enclave knows.
package protocol EnclaveCircleService: Sendable {
    /// The circle as the enclave knows it; nil when it belongs to none.
    func circle() throws(Refusal) -> CircleState?

    /// Begins a circle, or makes the keys with which this machine is to be added to one, after asking the user.
    ///
    /// - Parameters:
    ///   - circle: the circle to join; nil for a new one.
    ///   - name: of this machine, for people; at most ``CircleState/nameBytes`` bytes. The machine that begins a circle
    ///     is known by it; any other one has the name that its sponsor gives it.
    /// - Throws: `errSecParam` when the keychain belongs to a circle already; `errSecAuthFailed` without a passcode;
    ///   as ``EnclaveAuthenticationService/authenticate(_:by:)`` when the user does not agree.
    func enterCircle(
        _ circle: CircleID?, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState

    /// Takes what a batch states, and the keys that it brings for this machine. A batch that was taken may come again.
    ///
    /// - Parameter carried: the batch without its sealed part. Those that add its author come first.
    /// - Throws: `errSecItemNotFound` (`circle.unknown-author`), `errSecAuthFailed` (`circle.forged`), `errSecDecode`
    ///   (`circle.malformed`).
    func takeBatch(_ carried: [UInt8]) throws(Refusal)

    /// Takes the keys that a batch brings for this machine, before its turn has come. It adds and removes nobody.
    /// Members that it introduces are known as authors of other such batches, until a batch is taken.
    ///
    /// - Parameter carried: as in ``takeBatch(_:)``. Batches that introduce its author come first.
    /// - Throws: as ``takeBatch(_:)``; `errSecParam` (`circle.full`).
    func seekKeys(_ carried: [UInt8]) throws(Refusal)

    /// Seals a content under the generation of a header of this machine's.
    ///
    /// - Parameter header: the 136 bytes of a batch's or a part's header. It says how large the sealed part will be:
    ///   ``CircleBox/overhead`` more than the content.
    /// - Throws: `errSecAuthFailed` when the header is another machine's, or a removed machine has the generation;
    ///   `errSecItemNotFound` (`circle.no-keys`).
    func sealContent(_ content: SecretBytes, header: [UInt8]) throws(Refusal) -> [UInt8]

    /// Opens the sealed part of any machine's batch.
    ///
    /// - Throws: `errSecDecode` when it is not what was sealed with this header; `errSecItemNotFound`
    ///   (`circle.no-keys`).
    func openContent(_ sealed: [UInt8], header: [UInt8]) throws(Refusal) -> SecretBytes

    /// Puts bodies of records into their boxes, for items that only an unlocked machine reads.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while locked; as ``sealContent(_:header:)``.
    func boxBodies(_ bodies: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes]

    /// Takes bodies out of their boxes.
    ///
    /// - Returns: nil for one that is not what was put in at this place.
    /// - Throws: `errSecInteractionNotAllowed` while locked; `errSecItemNotFound` (`circle.no-keys`).
    func unboxBodies(_ boxes: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes?]

    /// Puts shelves into boxes that other machines open, with their keys in the clear, which no daemon sees.
    ///
    /// - Parameter bodies: as `SyncFormat/SyncShelf` has them, sealed for this machine.
    /// - Throws: `errSecParam` (`wire.malformed`) for a shelf that stays; as ``boxBodies(_:of:)``.
    func boxShelves(_ bodies: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes]

    /// Takes shelves out of their boxes, and seals them for this machine.
    ///
    /// - Returns: nil for one that is not what was put in at this place, or that no machine sends.
    /// - Throws: as ``unboxBodies(_:of:)``.
    func unboxShelves(_ boxes: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes?]

    /// The commitments by which machines compare shelves, of those of this one: 32 bytes each.
    ///
    /// - Returns: nil for one that stays on this machine, or does not open.
    /// - Throws: `errSecInteractionNotAllowed` while the class of one is closed.
    func commitments(to shelves: [Shelf]) throws(Refusal) -> [[UInt8]?]

    /// Signs a batch of this machine, if this enclave has made its statements.
    ///
    /// - Parameter head: header and statements.
    /// - Returns: r ‖ s, 64 bytes.
    /// - Throws: `errSecAuthFailed` (`circle.not-stated`).
    func signBatch(head: [UInt8], sealedHash: BatchHash) throws(Refusal) -> [UInt8]

    /// The identifiers of records.
    ///
    /// - Throws: `errSecItemNotFound` (`circle.no-keys`) before the first share was taken.
    func recordIDs(_ names: [RecordNaming]) throws(Refusal) -> [RecordID]

    /// Makes a generation for all members that are in, where none can be used; otherwise states the current one again.
    ///
    /// - Throws: `errSecInteractionNotAllowed` while locked.
    func makeGeneration() throws(Refusal) -> SyncStatement

    /// Shares a generation with members that are in.
    ///
    /// - Throws: `errSecAuthFailed` (`circle.not-a-member`) when one of them is not; `errSecInteractionNotAllowed`
    ///   while locked.
    func shareGeneration(_ generation: GenerationID, with members: [MemberID]) throws(Refusal) -> SyncStatement

    /// Adds a machine, after asking the user.
    ///
    /// - Parameter name: for people, at most ``CircleState/nameBytes`` bytes.
    func addMachine(
        _ keys: MemberKeys, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement]

    /// Removes a machine and those that it has introduced, after asking the user, and makes a generation without them.
    ///
    /// - Parameter kept: those that stay, of the machines that it has introduced.
    func removeMachine(
        _ member: MemberID, keeping kept: [MemberID], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement]

    /// Forgets the circle, and the keys that this machine has in it, after asking the user. Other machines hear nothing
    /// of it; they go on sharing keys with this one until it is removed. The keychain can enter another circle then.
    ///
    /// - Throws: as ``EnclaveAuthenticationService/authenticate(_:by:)`` when the user does not agree.
    func leaveCircle(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal)

    /// Begins a circle in place of the one that the keychain belongs to, of which other machines hear nothing. There
    /// may be none.
    ///
    /// - Parameter name: of this machine, as in ``enterCircle(_:name:asking:by:)``.
    /// - Throws: as ``enterCircle(_:name:asking:by:)``.
    func resetCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState
}

/// The caller that asks for a change of the circle, and how its user can be reached. The words are the enclave's; the
/// prompt's item is the place that carries the circle's batches, or empty.
package struct CircleQuestion: Hashable, Sendable {
    package var context: AuthenticationContext
    package var prompt: Prompt

    package init(context: AuthenticationContext, prompt: Prompt) { (self.context, self.prompt) = (context, prompt) }
}

/// A circle as an enclave knows it.
package struct CircleState: Equatable, Sendable {
    /// The longest name of a machine, in UTF-8.
    package static let nameBytes = 64

    package struct Member: Equatable, Sendable {
        package let id: MemberID
        package let isIn: Bool
        package let isRecoveryKey: Bool
        /// Empty where the enclave has not been able to read it.
        package let name: String

        package init(id: MemberID, isIn: Bool, isRecoveryKey: Bool, name: String) {
            (self.id, self.isIn, self.isRecoveryKey, self.name) = (id, isIn, isRecoveryKey, name)
        }
    }

    package let circle: CircleID
    /// This machine's keys.
    package let keys: MemberKeys
    /// Random bytes of the genesis; nil on a machine that has not begun it.
    package let random: BatchHash?
    /// By ascending identifier.
    package let members: [Member]
    /// The generations whose keys are here, and their numbers.
    package let held: [GenerationID: UInt32]

    package init(
        circle: CircleID, keys: MemberKeys, random: BatchHash?, members: [Member], held: [GenerationID: UInt32]
    ) {
        (self.circle, self.keys, self.random, self.members, self.held) = (circle, keys, random, members, held)
    }
}

/// All by which a record is named.
package struct RecordNaming: Sendable {
    /// The number of the item class.
    package let itemClass: UInt8
    /// The primary key as in store.md, section 3, with an empty `musr`; its bytes are not read.
    package let primaryKey: SecretBytes

    package init(itemClass: UInt8, primaryKey: SecretBytes) {
        (self.itemClass, self.primaryKey) = (itemClass, primaryKey)
    }
}

/// The boxes of a circle: nonce, ciphertext and tag.
package enum CircleBox {
    /// How many bytes a box is longer than its content.
    package static let overhead = 28
}

/// The place of a record's box, which opens nowhere else.
///
///     place = generation:16 circle:16 device:16 seq:u64 salt:32 kind:u8 class:u8 pdmn:u8 0:u8 rid:16 hlc:u64
///
/// Everything before `kind` is the batch's.
package struct BoxedRecord: Equatable, Sendable {
    package static let size = 116

    package let generation: GenerationID
    package let circle: CircleID
    package let device: MemberID
    package let salt: BatchHash
    package let bytes: [UInt8]

    package init(_ record: SyncRecord, in header: SyncHeader) {
        (generation, circle, device, salt) = (header.generation, header.circle, header.device, header.salt)
        let buffer = SecretBuffer(capacity: Self.size)
        for bytes in [generation.bytes, circle.bytes, device.bytes] { buffer.append(bytes.span) }
        buffer.append(littleEndian: header.seq)
        buffer.append(salt.bytes.span)
        buffer.append([record.kind, record.itemClass, record.protection, 0].span)
        buffer.append(record.rid.bytes.span)
        buffer.append(littleEndian: record.hlc)
        bytes = buffer.withSpan { $0.array(0, $0.count) }
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        generation = GenerationID(bytes)
        circle = CircleID(Array(bytes[16...]))
        device = MemberID(Array(bytes[32...]))
        salt = BatchHash(Array(bytes[56...]))
    }
}
