import KeychainModel
import LinuxSystem
package import SyncFormat

/// A change of the circle of machines that a keychain belongs to. The enclave asks its user before it is made.
///
///     change = 1:u8 place:text name:text                      ; begin
///            | 2:u8 circle:16 place:text name:text            ; join
///            | 3:u8 keys:130 name:text                        ; add
///            | 4:u8 member:16 count:u8 *(kept:16)             ; remove; kept ascends
///            | 5:u8                                           ; leave
///            | 6:u8                                           ; pair
///            | 7:u8                                           ; recoveryKey
///            | 8:u8                                           ; recover
///            | 9:u8 place:text name:text                      ; reset
package enum CircleChange: Equatable, Sendable {
    /// Begins a circle, of which this machine is the first.
    case begin(place: String, name: String)
    /// Makes the keys with which another machine adds this one to its circle.
    case join(CircleID, place: String, name: String)
    /// Adds a machine by its keys.
    case add(MemberKeys, name: String)
    /// Removes a machine, and those that it has introduced but these.
    case remove(MemberID, keeping: [MemberID])
    /// The keychain belongs to no circle from now on. Items stay.
    case leave
    /// Goes on with a pairing that was begun: shows the digits, or asks for them.
    case pair
    /// Makes a recovery key, in place of the one from before, and shows its code.
    case recoveryKey
    /// Enters a circle by its recovery key, after ``SyncRequest/recover(place:name:)`` and what a carrier has brought.
    case recover
    /// Begins a circle in place of the one that the keychain belongs to. Items stay.
    case reset(place: String, name: String)

    /// As much of a machine's name as the circle keeps, in UTF-8.
    package static let nameBytes = SyncRequest.nameBytes

    private enum Code: UInt8 {
        case begin = 1
        case join = 2
        case add = 3
        case remove = 4
        case leave = 5
        case pair = 6
        case recoveryKey = 7
        case recover = 8
        case reset = 9
    }

    func append(to buffer: SecretBuffer) {
        func append(_ code: Code, _ bytes: [UInt8] = []) {
            buffer.append(code.rawValue)
            buffer.append(bytes.span)
        }
        switch self {
        case .begin(let place, let name):
            append(.begin)
            for text in [place, name] { buffer.append(text: text) }
        case .join(let circle, let place, let name):
            append(.join, circle.bytes)
            for text in [place, name] { buffer.append(text: text) }
        case .add(let keys, let name):
            append(.add, keys.bytes)
            buffer.append(text: name)
        case .remove(let member, let kept):
            append(.remove, member.bytes)
            buffer.append(UInt8(truncatingIfNeeded: kept.count))
            for one in kept.sorted() { buffer.append(one.bytes.span) }
        case .leave: append(.leave)
        case .pair: append(.pair)
        case .recoveryKey: append(.recoveryKey)
        case .recover: append(.recover)
        case .reset(let place, let name):
            append(.reset)
            for text in [place, name] { buffer.append(text: text) }
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .begin: self = .begin(place: try reader.name(), name: try reader.machineName())
        case .join:
            let circle = try reader.identifier(CircleID.self)
            self = .join(circle, place: try reader.name(), name: try reader.machineName())
        case .add: self = .add(try MemberKeys(from: &reader), name: try reader.machineName())
        case .remove:
            let member = try reader.identifier(MemberID.self)
            self = .remove(member, keeping: try reader.keptMembers())
        case .leave: self = .leave
        case .pair: self = .pair
        case .recoveryKey: self = .recoveryKey
        case .recover: self = .recover
        case .reset: self = .reset(place: try reader.name(), name: try reader.machineName())
        case nil: throw .malformed("the change of the circle")
        }
    }
}

extension WireReader {
    fileprivate mutating func machineName() throws(Refusal) -> String { try text(atMost: CircleChange.nameBytes) }

    fileprivate mutating func keptMembers() throws(Refusal) -> [MemberID] {
        var members: [MemberID] = []
        for _ in 0..<(try integer(UInt8.self)) {
            let one = try identifier(MemberID.self)
            guard members.last.map({ $0 < one }) ?? true else { throw .malformed("the order of members") }
            members.append(one)
        }
        return members
    }
}
