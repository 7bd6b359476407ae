package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

/// context prompt
extension CircleQuestion {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(context: try AuthenticationContext(from: &reader), prompt: try Prompt(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        context.append(to: buffer)
        prompt.append(to: buffer)
    }
}

/// milliseconds:u32 context prompt request
package struct AskedChange<Request: EnclaveMessage & Sendable>: EnclaveMessage, Sendable {
    let milliseconds: UInt32
    let question: CircleQuestion
    let request: Request

    init(milliseconds: UInt32, question: CircleQuestion, request: Request) {
        (self.milliseconds, self.question, self.request) = (milliseconds, question, request)
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            milliseconds: try reader.integer(UInt32.self), question: try CircleQuestion(from: &reader),
            request: try Request(from: &reader))
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: milliseconds)
        question.append(to: buffer)
        request.append(to: buffer)
    }
}

/// 0:u8 | 1:u8 circle:16
package struct CircleEntry: EnclaveMessage, Sendable {
    let circle: CircleID?
    let name: String

    init(circle: CircleID?, name: String) { (self.circle, self.name) = (circle, name) }

    package init(from reader: inout WireReader) throws(Refusal) {
        circle = try reader.isPresent() ? CircleID(try reader.array(CircleID.size)) : nil
        name = try reader.text()
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(circle == nil ? 0 : 1)
        if let circle { buffer.append(circle.bytes.span) }
        buffer.append(text: name)
    }
}

/// signing:65 agreement:65 name:text
package struct MachineAddition: EnclaveMessage, Sendable {
    let keys: MemberKeys
    let name: String
}

extension MachineAddition {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(keys: try reader.memberKeys(), name: try reader.text())
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(keys.bytes.span)
        buffer.append(text: name)
    }
}

/// member:16 count:u8 *(kept:16)
package struct MachineRemoval: EnclaveMessage, Sendable {
    let member: MemberID
    let kept: [MemberID]
}

extension MachineRemoval {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(member: MemberID(try reader.array(MemberID.size)), kept: try reader.members())
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(member.bytes.span)
        buffer.append(members: kept)
    }
}

/// generation:16 count:u8 *(member:16)
package struct GenerationSharing: EnclaveMessage, Sendable {
    let generation: GenerationID
    let members: [MemberID]
}

extension GenerationSharing {
    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(generation: GenerationID(try reader.array(GenerationID.size)), members: try reader.members())
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(generation.bytes.span)
        buffer.append(members: members)
    }
}

/// The statements of an answer, one after the other.
package struct StatementsMessage: EnclaveMessage, Sendable {
    let statements: [SyncStatement]

    init(_ statements: [SyncStatement]) { self.statements = statements }

    package init(from reader: inout WireReader) throws(Refusal) {
        do { statements = try SyncStatement.list(decoding: try reader.array(reader.remaining)) } catch {
            throw .malformed("the enclave's statements")
        }
    }

    package func append(to buffer: SecretBuffer) {
        for statement in statements { buffer.append(statement.bytes.span) }
    }

    /// The statement of an answer that has one.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`).
    func only() throws(Refusal) -> SyncStatement {
        guard statements.count == 1 else { throw .malformed("the enclave's statement") }
        return statements[0]
    }
}

/// 0:u8 | 1:u8 state
///
///     state  = circle:16 signing:65 agreement:65 random:32 memberCount:u16 heldCount:u16 *member
///              *(generation:16 number:u32)
///     member = id:16 isIn:u8 isRecoveryKey:u8 name:text
///
/// `random` is zeros on a machine that has not begun the circle.
package struct CircleStateMessage: EnclaveMessage, Sendable {
    let state: CircleState?

    init(_ state: CircleState?) { self.state = state }

    package init(from reader: inout WireReader) throws(Refusal) {
        state = try reader.isPresent() ? try CircleState(from: &reader) : nil
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(state == nil ? 0 : 1)
        state?.append(to: buffer)
    }
}

extension CircleState {
    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        let circle = CircleID(try reader.array(CircleID.size))
        let keys = try reader.memberKeys()
        let random = BatchHash(try reader.array(BatchHash.size))
        let (members, generations) = (Int(try reader.integer(UInt16.self)), Int(try reader.integer(UInt16.self)))
        var (list, held): ([Member], [GenerationID: UInt32]) = ([], [:])
        for _ in 0..<members { list.append(try Member(from: &reader)) }
        for _ in 0..<generations {
            held[GenerationID(try reader.array(GenerationID.size))] = try reader.integer(UInt32.self)
        }
        self.init(
            circle: circle, keys: keys, random: random == .none ? nil : random, members: list, held: held)
    }

    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(circle.bytes.span)
        buffer.append(keys.bytes.span)
        buffer.append((random ?? .none).bytes.span)
        buffer.append(littleEndian: UInt16(clamping: members.count))
        buffer.append(littleEndian: UInt16(clamping: held.count))
        for member in members { member.append(to: buffer) }
        for (generation, number) in held {
            buffer.append(generation.bytes.span)
            buffer.append(littleEndian: number)
        }
    }
}

extension CircleState.Member {
    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            id: MemberID(try reader.array(MemberID.size)), isIn: try reader.isPresent(),
            isRecoveryKey: try reader.isPresent(), name: try reader.text())
    }

    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(id.bytes.span)
        buffer.append([isIn ? 1 : 0, isRecoveryKey ? 1 : 0].span)
        buffer.append(text: name)
    }
}

extension WireReader {
    fileprivate mutating func isPresent() throws(Refusal) -> Bool {
        switch try integer(UInt8.self) {
        case 0: false
        case 1: true
        default: throw .malformed("a flag")
        }
    }

    fileprivate mutating func memberKeys() throws(Refusal) -> MemberKeys {
        MemberKeys(signing: try array(MemberKeys.pointSize), agreement: try array(MemberKeys.pointSize))
    }

    fileprivate mutating func members() throws(Refusal) -> [MemberID] {
        var found: [MemberID] = []
        for _ in 0..<(try integer(UInt8.self)) { found.append(MemberID(try array(MemberID.size))) }
        return found
    }
}

extension SecretBuffer {
    /// At most 255 of them, which is more than a circle can have.
    fileprivate func append(members: [MemberID]) {
        append(UInt8(clamping: members.count))
        for member in members.prefix(Int(UInt8.max)) { append(member.bytes.span) }
    }
}
