import KeychainModel
import LinuxSystem
package import SyncFormat

/// Requests about the circle of machines that a keychain belongs to: of the command, and of the program that carries
/// batches. The latter is not trusted: it gives and takes ciphertext. Bytes of slots are in memory files.
///
///     request = 1:u8                                  ; status
///             | 2:u8 paused:u8                        ; pause
///             | 3:u8                                  ; now
///             | 4:u8                                  ; positions
///             | 5:u8 slot                             ; take
///             | 6:u8 view                             ; seen
///             | 7:u8                                  ; next
///             | 8:u8 slot occupied:u8                 ; committed
///             | 9:u8 number:u64 milliseconds:u32      ; wait
///             | 10:u8                                 ; invite
///             | 11:u8 place:text name:text            ; seek
///             | 12:u8 look                            ; pairing
///             | 13:u8 place:text name:text            ; recover
///             | 14:u8 count:u32 *slot                 ; discarded
///             | 15:u8 count:u32 *(member:16)          ; known; ascending
///     slot    = text                                  ; its one spelling
package enum SyncRequest: Equatable, Sendable {
    /// → ``SyncReply/status(_:)``.
    case status
    /// Nothing is sent while paused; what comes is not asked for.
    case pause(Bool)
    /// Wakes the carrier, which then looks and sends.
    case now
    /// → ``SyncReply/positions(_:)``.
    case positions
    /// With one file: what the transport has in a slot of a log, or in one of ``SyncPositions/wanted``.
    /// → ``SyncReply/taken(_:)``.
    case take(SyncSlot)
    /// The last look at the transport, or why there was none.
    case seen(SyncView)
    /// With one file, a room of ``roomBytes``. → ``SyncReply/next(_:)``: its slot, and how many bytes are in the room.
    case next
    /// The transport has the bytes of ``next`` in their slot. With one file where it had others before: those bytes;
    /// it is empty where they cannot be read.
    case committed(SyncSlot, isOccupied: Bool)
    /// Is answered when the number is another, or when so many milliseconds have passed. → ``SyncReply/news(_:)``.
    case wait(number: UInt64, milliseconds: UInt32)
    /// Begins a pairing with a machine that is to be added; ``CircleChange/pair`` goes on with it.
    case invite
    /// Begins a pairing with a machine of the circle at a place, under a name; ``CircleChange/pair`` goes on with it.
    case seek(place: String, name: String)
    /// Begins to take the batches of a place, under a name, for a machine in no circle: a carrier gives them with
    /// ``take(_:)``, and ``CircleChange/recover`` goes on.
    case recover(place: String, name: String)
    /// The place has these of ``SyncPositions/discarding`` no more.
    case discarded([SyncSlot])
    /// The user was shown that these belong to the circle: they are new no more.
    case known([MemberID])
    /// The place's messages of pairings. → ``SyncReply/pairing(_:)``.
    case pairing(PairingLook)

    /// The bytes of a slot: a batch has at most 2.1 MiB, a part of a snapshot 3.1 MiB.
    package static let roomBytes = 4 << 20
    /// As much of a machine's name as the circle keeps, in UTF-8.
    package static let nameBytes = 64

    private enum Code: UInt8 {
        case status = 1
        case pause = 2
        case now = 3
        case positions = 4
        case take = 5
        case seen = 6
        case next = 7
        case committed = 8
        case wait = 9
        case invite = 10
        case seek = 11
        case pairing = 12
        case recover = 13
        case discarded = 14
        case known = 15
    }

    func append(to buffer: SecretBuffer) {
        func append(_ code: Code) { buffer.append(code.rawValue) }
        switch self {
        case .status: append(.status)
        case .now: append(.now)
        case .positions: append(.positions)
        case .next: append(.next)
        case .invite: append(.invite)
        case .seek(let place, let name), .recover(let place, let name):
            if case .seek = self { append(.seek) } else { append(.recover) }
            for text in [place, name] { buffer.append(text: text) }
        case .pairing(let look):
            append(.pairing)
            look.append(to: buffer)
        case .discarded(let slots):
            append(.discarded)
            buffer.append(slots: slots)
        case .known(let members):
            append(.known)
            buffer.append(members: members)
        case .pause(let isPaused):
            append(.pause)
            buffer.append(isPaused ? 1 : 0)
        case .take(let slot):
            append(.take)
            buffer.append(text: slot.text)
        case .seen(let view):
            append(.seen)
            view.append(to: buffer)
        case .committed(let slot, let isOccupied):
            append(.committed)
            buffer.append(text: slot.text)
            buffer.append(isOccupied ? 1 : 0)
        case .wait(let number, let milliseconds):
            append(.wait)
            buffer.append(littleEndian: number)
            buffer.append(littleEndian: milliseconds)
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .status: self = .status
        case .now: self = .now
        case .positions: self = .positions
        case .next: self = .next
        case .invite: self = .invite
        case .seek: self = .seek(place: try reader.name(), name: try reader.text(atMost: SyncRequest.nameBytes))
        case .recover: self = .recover(place: try reader.name(), name: try reader.text(atMost: SyncRequest.nameBytes))
        case .discarded: self = .discarded(try reader.slots())
        case .known: self = .known(try reader.members())
        case .pairing: self = .pairing(try PairingLook(from: &reader))
        case .pause: self = .pause(try reader.flag())
        case .take: self = .take(try reader.slot())
        case .seen: self = .seen(try SyncView(from: &reader))
        case .committed: self = .committed(try reader.slot(), isOccupied: try reader.flag())
        case .wait:
            self = .wait(number: try reader.integer(UInt64.self), milliseconds: try reader.integer(UInt32.self))
        case nil: throw .malformed("the request about the circle")
        }
    }
}

/// The slots that a transport shows.
///
///     view = count:u32 *(device:16 seq:u64) unreadable:u32 *slot problem:text
package struct SyncView: Equatable, Sendable {
    /// As many logs as a transport shows.
    package static let mostLogs = 4096
    /// As many slots as a list has.
    package static let mostSlots = 1024
    /// A server's words, as much as anybody reads.
    package static let problemBytes = 1024

    /// The last batch of each log.
    package var ends: [MemberID: UInt64] = [:]
    /// Slots that are there and cannot be read.
    package var unreadable: [SyncSlot] = []
    /// Why the transport does not work now, and ``ends`` says nothing; empty when it does.
    package var problem = ""

    package init() {}

    func append(to buffer: SecretBuffer) {
        buffer.append(heads: ends)
        buffer.append(slots: unreadable)
        buffer.append(text: problem.cut(to: Self.problemBytes))
    }

    init(from reader: inout WireReader) throws(Refusal) {
        (ends, unreadable) = (try reader.heads(), try reader.slots())
        problem = try reader.text(atMost: Self.problemBytes)
    }
}

// MARK: - Coding

extension SecretBuffer {
    func append(heads: [MemberID: UInt64]) {
        let listed = heads.sorted { $0.key < $1.key }.prefix(SyncView.mostLogs)
        append(littleEndian: UInt32(listed.count))
        for (device, seq) in listed {
            append(device.bytes.span)
            append(littleEndian: seq)
        }
    }

    func append(slots: [SyncSlot]) {
        let listed = slots.prefix(SyncView.mostSlots)
        append(littleEndian: UInt32(listed.count))
        for slot in listed { append(text: slot.text) }
    }

    func append(members: [MemberID]) {
        let listed = members.prefix(SyncView.mostLogs).sorted()
        append(littleEndian: UInt32(listed.count))
        for member in listed { append(member.bytes.span) }
    }
}

extension WireReader {
    mutating func flag() throws(Refusal) -> Bool {
        let byte = try integer(UInt8.self)
        guard byte <= 1 else { throw .malformed("a flag") }
        return byte == 1
    }

    mutating func identifier<Identifier: SyncIdentifier>(_: Identifier.Type) throws(Refusal) -> Identifier {
        Identifier(try array(Identifier.size))
    }

    mutating func slot() throws(Refusal) -> SyncSlot {
        do { return try SyncSlot(try text()) } catch { throw .malformed("the name of a slot") }
    }

    mutating func slots() throws(Refusal) -> [SyncSlot] {
        let count = try integer(UInt32.self)
        guard count <= SyncView.mostSlots else { throw .malformed("the number of slots") }
        var slots: [SyncSlot] = []
        for _ in 0..<count { slots.append(try slot()) }
        return slots
    }

    /// Members, ascending.
    mutating func members() throws(Refusal) -> [MemberID] {
        let count = try integer(UInt32.self)
        guard count <= SyncView.mostLogs else { throw .malformed("the number of members") }
        var members: [MemberID] = []
        for _ in 0..<count {
            let member = try identifier(MemberID.self)
            guard members.last.map({ $0 < member }) ?? true else { throw .malformed("the order of members") }
            members.append(member)
        }
        return members
    }

    /// The last batches of logs, by ascending device.
    mutating func heads() throws(Refusal) -> [MemberID: UInt64] {
        let count = try integer(UInt32.self)
        guard count <= SyncView.mostLogs else { throw .malformed("the number of logs") }
        var (heads, last): ([MemberID: UInt64], MemberID?) = ([:], nil)
        for _ in 0..<count {
            let device = try identifier(MemberID.self)
            guard last.map({ $0 < device }) ?? true else { throw .malformed("the order of logs") }
            (heads[device], last) = (try integer(UInt64.self), device)
        }
        return heads
    }
}
