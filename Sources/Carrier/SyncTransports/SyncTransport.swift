package import LinuxSystem
package import SyncFormat

/// Carries the batches of one circle between its machines. It sees neither names nor values, and is not trusted: it
/// may lose, hide, repeat and damage what it carries, which its readers notice.
///
/// A slot is created once and never changed. All functions may be called from any thread.
package protocol SyncTransport: Sendable {
    /// Makes the circle's place, once: ``commit(_:in:)`` fails while it is missing.
    ///
    /// - Throws: ``TransportProblem``.
    func found() throws(TransportProblem)

    /// Creates a slot. When this returns ``Commitment/done``, other machines can find it, and it survives a power cut.
    ///
    /// - Throws: ``TransportProblem``; whether the slot was created is unknown then, and the same call may be repeated.
    func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment

    /// Removes slots that a snapshot covers; nothing happens where there are none.
    ///
    /// - Throws: ``TransportProblem``.
    func discard(_ slots: [SyncSlot]) throws(TransportProblem)

    /// The batches behind the positions that a reader has.
    ///
    /// - Parameters:
    ///   - heads: the last batch of each log that the reader has; it has none of a log that is not there. In the calls
    ///     of one look a reader names those that it was given and cannot take too, so that no log holds up the others.
    ///   - most: so many bytes are read; one batch more where the first is larger.
    /// - Throws: ``TransportProblem``.
    func changes(after heads: [MemberID: UInt64], atMost most: Int) throws(TransportProblem) -> TransportChanges

    /// A slot's bytes, such as those of a part of a snapshot, which no reader but a new machine wants; nil where there
    /// are none.
    ///
    /// - Throws: ``TransportProblem``.
    func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]?

    /// Lets another machine in, where the place knows machines: its token has this SHA-256.
    ///
    /// - Throws: ``TransportProblem``.
    func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem)

    /// Lets removed machines in no more, where the place knows machines, nor those that they alone let in and that are
    /// no members. It may be repeated.
    ///
    /// - Parameters:
    ///   - cut: those that are out with a removed one, until another member lets them in again.
    ///   - members: none where these are not known yet; then `gone` and `cut` alone are let in no more.
    /// - Throws: ``TransportProblem``.
    func dismiss(_ gone: [MemberID], cut: [MemberID], keeping members: [MemberID]) throws(TransportProblem)

    /// Waits for something that ``changes(after:atMost:)`` has not seen, or for the time at which a look is due.
    ///
    /// - Returns: whether to look; false when the deadline came first.
    /// - Throws: ``TransportProblem``.
    func wait(until deadline: Deadline) throws(TransportProblem) -> Bool
}

extension SyncTransport {
    package func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem) {}
    package func dismiss(
        _ gone: [MemberID], cut: [MemberID], keeping members: [MemberID]
    ) throws(TransportProblem) {}
}

/// The end of a commitment.
package enum Commitment: Equatable, Sendable {
    /// It has these bytes.
    case done
    /// It has had others before, or a file that cannot be read (nil): this machine has a copy that writes as well.
    case occupied([UInt8]?)
}

/// The batches that a transport has and its reader lacks.
package struct TransportChanges: Sendable {
    /// Slots and their bytes, each log in its order. A slot can be there twice, with different bytes.
    package var batches: [(slot: SyncSlot, bytes: [UInt8])] = []
    /// The last batch of each log that the transport has.
    package var ends: [MemberID: UInt64] = [:]
    /// Slots that are there and cannot be read.
    package var unreadable: [SyncSlot] = []
    /// Whether these are all.
    package var isComplete = true

    package init() {}
}

/// Why a transport does not work now.
package enum TransportProblem: Error, Equatable, Sendable {
    /// The circle's place is not where it was made: a disk that is not mounted, a folder that was moved.
    case missing(String)
    /// A server says no, in its own words.
    case refused(String)
    /// A server does not let this machine in, in its own words: neither by its token nor by its invitation.
    case noEntrance(String)
    /// A server cannot be reached, or does not answer in time.
    case unreachable(String)
    /// The system's reason.
    case system(SystemError)
}

extension String {
    /// The beginning of a server's words, without what a terminal would obey.
    package var plain: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.prefix(300).filter { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }))
    }
}

extension TransportProblem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .missing(let place):
            "there is no folder \(place): mount its disk, or begin again with security sync reset if it is lost"
        case .refused(let reason), .noEntrance(let reason), .unreachable(let reason): reason
        case .system(let error): error.description
        }
    }
}

extension SyncSlot {
    /// - Throws: ``TransportProblem/refused(_:)`` for bytes that nobody would read.
    package func check(_ bytes: [UInt8], of circle: CircleID) throws(TransportProblem) {
        guard circle == self.circle, bytes.count <= TransportLimits.slotBytes else {
            throw .refused("the batch is of another circle, or larger than any")
        }
    }
}

/// Bounds of what a transport gives.
package enum TransportLimits {
    /// The bytes of a slot: a batch has at most 2.1 MiB, a part of a snapshot 3.1 MiB.
    package static let slotBytes = 4 << 20
    /// The logs of a circle; there are fewer, unless somebody makes folders to hinder us.
    package static let logs = 4096
    /// The files of one folder that are looked at.
    package static let names = 100_000
    /// The other copies of a log's batches that are given to a reader.
    package static let witnesses = 16
}
