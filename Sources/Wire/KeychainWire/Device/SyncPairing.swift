import KeychainModel
import LinuxSystem
package import SyncFormat

/// The pairing that is under way on this machine, for the program that carries its messages.
///
///     pairing  = side:u8 place:text session:16 messages            ; session is zeros until a newcomer has an offer
///     messages = count:u8 *(length:u32 message)                    ; each has its slot in its head
package struct SyncPairing: Equatable, Sendable {
    package enum Side: UInt8, Sendable, CaseIterable {
        /// It shows digits.
        case member = 1
        /// Its user enters them.
        case newcomer = 2
    }

    package let side: Side
    package let place: String
    package let session: PairingID
    /// The messages of this machine, in their order, which are to be at the place.
    package let messages: [[UInt8]]

    package init(_ side: Side, place: String, session: PairingID, messages: [[UInt8]]) {
        (self.side, self.place, self.session, self.messages) = (side, place, session, messages)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(side.rawValue)
        buffer.append(text: place.cut(to: WireLimits.nameBytes))
        buffer.append(session.bytes.span)
        buffer.append(messages: messages)
    }

    init(from reader: inout WireReader) throws(Refusal) {
        guard let side = Side(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a side of a pairing") }
        self.init(
            side, place: try reader.name(), session: try reader.identifier(PairingID.self),
            messages: try reader.messages())
    }
}

/// The carrier of a pairing says what it has found.
///
///     look = 0:u8 | 1:u8 messages | 2:u8 problem:text
package enum PairingLook: Equatable, Sendable {
    /// It has not looked yet.
    case none
    /// All messages that the place has.
    case shows([[UInt8]])
    /// The place does not work, in its own words.
    case fails(String)

    /// The messages of one look: four of each session.
    package static let mostMessages = 64

    func append(to buffer: SecretBuffer) {
        switch self {
        case .none: buffer.append(0)
        case .shows(let messages):
            buffer.append(1)
            buffer.append(messages: messages)
        case .fails(let problem):
            buffer.append(2)
            buffer.append(text: problem.cut(to: SyncView.problemBytes))
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch try reader.integer(UInt8.self) {
        case 0: self = .none
        case 1: self = .shows(try reader.messages())
        case 2: self = .fails(try reader.text(atMost: SyncView.problemBytes))
        default: throw .malformed("the look of a carrier")
        }
    }
}

extension SecretBuffer {
    fileprivate func append(messages: [[UInt8]]) {
        let listed = messages.prefix(PairingLook.mostMessages).filter { $0.count <= PairingMessage.mostBytes }
        append(UInt8(listed.count))
        for message in listed { append(bytes: message.span) }
    }
}

extension WireReader {
    fileprivate mutating func messages() throws(Refusal) -> [[UInt8]] {
        let count = try integer(UInt8.self)
        guard count <= PairingLook.mostMessages else { throw .malformed("the number of messages") }
        var messages: [[UInt8]] = []
        for _ in 0..<count { messages.append(try bytes(atMost: PairingMessage.mostBytes)) }
        return messages
    }
}
