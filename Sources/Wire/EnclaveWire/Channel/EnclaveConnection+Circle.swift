package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// The circle through the channel.
extension EnclaveConnection {
    package func circle() throws(Refusal) -> CircleState? { try send(EnclaveCalls.circle, EmptyMessage()).state }

    package func takeBatch(_ carried: [UInt8]) throws(Refusal) {
        _ = try send(EnclaveCalls.takeBatch, EmptyMessage(), [try CircleFile.make(SecretBytes(copying: carried.span))])
    }

    package func seekKeys(_ carried: [UInt8]) throws(Refusal) {
        _ = try send(EnclaveCalls.seekKeys, EmptyMessage(), [try CircleFile.make(SecretBytes(copying: carried.span))])
    }

    package func sealContent(_ content: SecretBytes, header: [UInt8]) throws(Refusal) -> [UInt8] {
        let size = content.count + CircleBox.overhead
        let sealed = try exchange(EnclaveCalls.sealContent, BytesMessage(header), content, size)
        return sealed.withSpan { $0.array(0, $0.count) }
    }

    package func openContent(_ sealed: [UInt8], header: [UInt8]) throws(Refusal) -> SecretBytes {
        let size = sealed.count - CircleBox.overhead
        return try exchange(
            EnclaveCalls.openContent, BytesMessage(header), SecretBytes(copying: sealed.span), size)
    }

    package func boxBodies(_ bodies: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        let sizes = bodies.map { $0.count + CircleBox.overhead }
        let answer = try exchange(
            EnclaveCalls.boxBodies, EmptyMessage(), CircleLists.write(bodies, of: records), sizes.reduce(0, +))
        var (reader, boxes) = (WireReader(answer), [SecretBytes]())
        for size in sizes { boxes.append(try reader.secret(size)) }
        return boxes
    }

    package func unboxBodies(_ boxes: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes?] {
        let sizes = boxes.map(\.sizeOfBody)
        let answer = try exchange(
            EnclaveCalls.unboxBodies, EmptyMessage(), CircleLists.write(boxes, of: records),
            sizes.reduce(0) { $0 + $1 + 1 })
        return try CircleLists.read(opened: answer, sizes: sizes)
    }

    package func signBatch(head: [UInt8], sealedHash: BatchHash) throws(Refusal) -> [UInt8] {
        let file = try CircleFile.make(SecretBytes(copying: head.span))
        return try send(EnclaveCalls.signBatch, BytesMessage(sealedHash.bytes), [file]).bytes
    }

    package func recordIDs(_ names: [RecordNaming]) throws(Refusal) -> [RecordID] {
        let answer = try exchange(
            EnclaveCalls.recordIDs, EmptyMessage(), CircleLists.write(names), names.count * RecordID.size)
        return answer.withSpan { span in names.indices.map { RecordID(span.array($0 * RecordID.size, RecordID.size)) } }
    }

    package func makeGeneration() throws(Refusal) -> SyncStatement {
        try send(EnclaveCalls.makeGeneration, EmptyMessage()).only()
    }

    package func shareGeneration(
        _ generation: GenerationID, with members: [MemberID]
    ) throws(Refusal) -> SyncStatement {
        try send(EnclaveCalls.shareGeneration, GenerationSharing(generation: generation, members: members)).only()
    }

    /// Sends bytes in a file, and reads an answer of known size from another.
    func exchange<Request>(
        _ call: EnclaveCall<Request, EmptyMessage>, _ request: Request, _ bytes: SecretBytes, _ size: Int
    ) throws(Refusal) -> SecretBytes {
        let room = try CircleFile.room(size)
        _ = try send(call, request, [try CircleFile.make(bytes), room])
        return try CircleFile.secret(room, max(0, size))
    }
}

// MARK: - What waits for a person

extension EnclaveConnection {
    package func enterCircle(
        _ circle: CircleID?, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState {
        let entry = CircleEntry(circle: circle, name: name)
        let answer = try ask(EnclaveCalls.enterCircle, entry, question, deadline)
        guard let state = answer.state else { throw .malformed("the enclave's circle") }
        return state
    }

    package func addMachine(
        _ keys: MemberKeys, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try ask(EnclaveCalls.addMachine, MachineAddition(keys: keys, name: name), question, deadline).statements
    }

    package func removeMachine(
        _ member: MemberID, keeping kept: [MemberID], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try ask(EnclaveCalls.removeMachine, MachineRemoval(member: member, kept: kept), question, deadline).statements
    }

    package func leaveCircle(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal) {
        _ = try ask(EnclaveCalls.leaveCircle, EmptyMessage(), question, deadline)
    }

    package func resetCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState {
        let answer = try ask(EnclaveCalls.resetCircle, MachineName(name: name), question, deadline)
        guard let state = answer.state else { throw .malformed("the enclave's circle") }
        return state
    }

    func ask<Request: EnclaveMessage & Sendable, Answer>(
        _ call: EnclaveCall<AskedChange<Request>, Answer>, _ request: Request, _ question: CircleQuestion,
        _ deadline: Deadline
    ) throws(Refusal) -> Answer {
        let asked = AskedChange(milliseconds: deadline.timeout, question: question, request: request)
        return try ask(call, asked, in: question.context, question.prompt, by: deadline)
    }
}

extension CircleFile {
    /// A file with these bytes.
    static func make(_ bytes: SecretBytes) throws(Refusal) -> FileDescriptor {
        do { return try PasscodeFile.make(bytes) } catch { throw .noEnclave(error) }
    }

    /// Room for an answer of so many bytes.
    fileprivate static func room(_ count: Int) throws(Refusal) -> FileDescriptor {
        do { return try PasscodeFile.makeRoom(count) } catch { throw .noEnclave(error) }
    }
}
