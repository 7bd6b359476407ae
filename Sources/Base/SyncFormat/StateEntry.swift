package import LinuxSystem

/// A piece of what a machine keeps of its circle besides its rows.
///
///     name = kind:u8 key
///
/// A store has each piece under its name, so that a change writes only the pieces that it changes.
package struct StateEntry: Sendable {
    /// A field of the state. A field that is empty has no piece.
    package enum Kind: UInt8, CaseIterable, Sendable {
        /// The version of the form, the circle, and this machine.
        case machine = 1
        /// The member that this machine has paired with.
        case introducer
        /// The machine does not trust yet what it has started from.
        case distrust
        /// The next batch is made even if there is nothing else to say.
        case publishing
        /// The largest stamp of the tombstones that every member has read.
        case risenFloor
        /// A batch that was read.
        case mark
        /// The highest batch of a log that is named.
        case named
        /// A batch that is named and was not read yet.
        case claim
        /// Since when a log is behind.
        case missing
        /// A log of which the transport shows less than was read.
        case rolledBack
        /// How many records of an author are not allowed.
        case quarantined
        /// An equivocator.
        case doubted
        case fork
        /// A batch that states something.
        case stating
        /// A statement for the next batch.
        case queued
        /// A tombstone to pass on.
        case renewed
        /// The last snapshot of a member.
        case snapshot
        case pledged, covered, base
        /// A record that waits for an unlocked machine.
        case held
        /// A record that is far ahead of the clock.
        case future
        /// The batch that is to be committed, and the parts of its snapshot.
        case outgoing, part
    }

    /// The body of a record that is in no box. A store seals it as it seals an item of the protection class.
    package struct Secret: Sendable {
        package let body: SecretBytes
        package let protection: UInt8
        package init(_ body: SecretBytes, protection: UInt8) { (self.body, self.protection) = (body, protection) }
    }

    /// The version that is written, and the only one that is read.
    package static let version: UInt16 = 1

    package let kind: Kind
    package let key: [UInt8]
    package let value: [UInt8]
    package let secret: Secret?

    package init(
        _ kind: Kind, key: (inout StateWriter) -> Void = { _ in }, value: (inout StateWriter) -> Void = { _ in },
        secret: Secret? = nil
    ) {
        (self.kind, self.key, self.value) = (kind, StateWriter.bytes(key), StateWriter.bytes(value))
        self.secret = secret
    }

    /// A piece as a store has it.
    ///
    /// - Throws: ``SyncMalformed`` when no piece has this name.
    package init(name: [UInt8], value: [UInt8], secret: Secret?) throws(SyncMalformed) {
        guard let kind = name.first.flatMap(Kind.init) else { throw .mark }
        (self.kind, key, self.value, self.secret) = (kind, Array(name.dropFirst()), value, secret)
    }

    /// The piece with its secret.
    package func with(_ secret: Secret) -> StateEntry { StateEntry(copying: self, secret) }

    private init(copying other: StateEntry, _ secret: Secret) {
        (kind, key, value, self.secret) = (other.kind, other.key, other.value, secret)
    }

    /// The protection class of the record that the piece has; nil for a piece without one.
    package var protection: UInt8? {
        var reader = StateReader(value)
        guard kind == .future, (try? reader.header()) != nil, (try? reader.place()) != nil else { return nil }
        return (try? reader.record())?.protection
    }

    /// The machine that a state is of; nil when there is none.
    package static func machine(in entries: [StateEntry]) -> MemberID? {
        guard let machine = entries.first(where: { $0.kind == .machine }), machine.value.count == 34 else { return nil }
        return MemberID(Array(machine.value.suffix(MemberID.size)))
    }

    /// The circle that a state is of; nil when there is none.
    package static func circle(in entries: [StateEntry]) -> CircleID? {
        guard let machine = entries.first(where: { $0.kind == .machine }), machine.value.count == 34 else { return nil }
        return CircleID(Array(machine.value.dropFirst(2)))
    }

    package var name: [UInt8] { [kind.rawValue] + key }
}
