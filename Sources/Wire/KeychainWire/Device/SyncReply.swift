package import KeychainModel
package import LinuxSystem
package import SyncFormat

/// The answer to a ``SyncRequest``.
///
///     status = 0:u8 | 1:u8 status
///     taken  = verdict:u8
///     next   = 0:u8 | 1:u8 slot size:u32
///     news   = number:u64
///     pairing = 0:u8 | 1:u8 pairing
package enum SyncReply: Equatable, Sendable {
    /// Nil where the keychain belongs to no circle.
    case status(SyncStatus?)
    case positions(SyncPositions)
    case taken(SyncVerdict)
    /// Nil where nothing is to be sent.
    case next(SyncSending?)
    case news(number: UInt64)
    /// Nil where none is under way.
    case pairing(SyncPairing?)
    case done

    package func append(to buffer: SecretBuffer) {
        switch self {
        case .status(let status):
            buffer.append(status == nil ? 0 : 1)
            status?.append(to: buffer)
        case .positions(let positions): positions.append(to: buffer)
        case .taken(let verdict): buffer.append(verdict.rawValue)
        case .next(let sending):
            buffer.append(sending == nil ? 0 : 1)
            sending?.append(to: buffer)
        case .news(let number): buffer.append(littleEndian: number)
        case .pairing(let pairing):
            buffer.append(pairing == nil ? 0 : 1)
            pairing?.append(to: buffer)
        case .done: break
        }
    }

    /// Reads the answer to a request.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(to request: SyncRequest, from reader: inout WireReader) throws(Refusal) {
        switch request {
        case .status: self = .status(try reader.flag() ? try SyncStatus(from: &reader) : nil)
        case .positions: self = .positions(try SyncPositions(from: &reader))
        case .take:
            guard let verdict = SyncVerdict(rawValue: try reader.integer(UInt8.self)) else {
                throw .malformed("the verdict on a batch")
            }
            self = .taken(verdict)
        case .next: self = .next(try reader.flag() ? try SyncSending(from: &reader) : nil)
        case .wait: self = .news(number: try reader.integer(UInt64.self))
        case .pairing: self = .pairing(try reader.flag() ? try SyncPairing(from: &reader) : nil)
        case .pause, .now, .seen, .committed, .invite, .seek, .recover, .discarded, .known: self = .done
        }
    }
}

/// The end of what a carrier has brought.
package enum SyncVerdict: UInt8, Sendable, CaseIterable {
    /// It was read, or had been.
    case read = 1
    /// It waits for another batch, for keys, or for its author to be added.
    case waits = 2
    /// It can never be read as it is.
    case refused = 3
    /// Its log is of a later version.
    case needsLaterVersion = 4
}

/// All that a carrier needs to know.
///
///     positions = number:u64 circle:16 me:16 place:text flags:u8 heads wanted discarding removed cut members
///     heads     = count:u32 *(device:16 seq:u64)          ; by ascending device
///     wanted, discarding = count:u32 *slot
///     removed, cut, members = count:u32 *(member:16)      ; ascending
///
/// Bit 0 of the flags: paused; bit 1: a look is wanted now.
package struct SyncPositions: Equatable, Sendable {
    /// For ``SyncRequest/wait(number:milliseconds:)``.
    package let number: UInt64
    package let circle: CircleID
    package let me: MemberID
    /// Where the circle is, as it was given at first.
    package let place: String
    package var isPaused = false
    package var isWanted = false
    /// The last batch of each log that was read.
    package var heads: [MemberID: UInt64] = [:]
    /// Parts of a snapshot that are to be read by name, and given to ``SyncRequest/take(_:)``.
    package var wanted: [SyncSlot] = []
    /// Slots that nobody needs any more.
    package var discarding: [SyncSlot] = []
    /// Machines that were removed: a place that knows machines is to let them in no more.
    package var removed: [MemberID] = []
    /// Machines that are out because nobody who has added them is in. Another member may turn out to have.
    package var cut: [MemberID] = []
    /// Machines that stay where a removed one has let them in.
    package var members: [MemberID] = []

    package init(number: UInt64, circle: CircleID, me: MemberID, place: String) {
        (self.number, self.circle, self.me, self.place) = (number, circle, me, place)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: number)
        buffer.append(circle.bytes.span)
        buffer.append(me.bytes.span)
        buffer.append(text: place.cut(to: WireLimits.nameBytes))
        buffer.append((isPaused ? 1 : 0) | (isWanted ? 2 : 0))
        buffer.append(heads: heads)
        for slots in [wanted, discarding] { buffer.append(slots: slots) }
        for list in [removed, cut, members] { buffer.append(members: list) }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            number: try reader.integer(UInt64.self), circle: try reader.identifier(CircleID.self),
            me: try reader.identifier(MemberID.self), place: try reader.name())
        let flags = try reader.integer(UInt8.self)
        guard flags < 4 else { throw .malformed("the flags of a circle") }
        (isPaused, isWanted) = (flags & 1 != 0, flags & 2 != 0)
        heads = try reader.heads()
        (wanted, discarding) = (try reader.slots(), try reader.slots())
        (removed, cut, members) = (try reader.members(), try reader.members(), try reader.members())
    }
}

/// A slot that is to be created next, and the size of its bytes.
package struct SyncSending: Equatable, Sendable {
    package let slot: SyncSlot
    package let size: UInt32

    package init(slot: SyncSlot, size: UInt32) { (self.slot, self.size) = (slot, size) }

    func append(to buffer: SecretBuffer) {
        buffer.append(text: slot.text)
        buffer.append(littleEndian: size)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        self.init(slot: try reader.slot(), size: try reader.integer(UInt32.self))
        guard size <= SyncRequest.roomBytes else { throw .malformed("the size of a slot") }
    }
}
