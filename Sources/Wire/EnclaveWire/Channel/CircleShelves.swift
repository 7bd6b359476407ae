package import KeychainModel
import KeychainWire
package import LinuxSystem
import SyncFormat

/// Shelves in one call of the enclave, as ``CircleLists`` has other records. A seal of this machine has another size
/// than the keys in the clear, so that answers have their lengths, and zeros behind them.
///
///     answers = *(length:u32 bytes) zeros                           ; length 0 for what is no such box
enum CircleShelves {
    /// No answer is longer by more: a seal, and what makes bodies multiples of 32 bytes.
    private static let growth = 4 + 128

    /// The room for the answers to so many bytes.
    static func room(_ bodies: [SecretBytes]) -> Int { bodies.reduce(0) { $0 + $1.count + growth } }

    static func write(_ answers: [SecretBytes?], room: Int) -> SecretBytes {
        let buffer = SecretBuffer(capacity: room)
        for answer in answers {
            buffer.append(littleEndian: UInt32(truncatingIfNeeded: answer?.count ?? 0))
            answer?.withSpan { buffer.append($0) }
        }
        buffer.append(count: max(0, room - buffer.count)) { _ in }
        return buffer.finish()
    }

    static func read(_ answers: SecretBytes, _ count: Int) throws(Refusal) -> [SecretBytes?] {
        var (reader, found) = (WireReader(answers), [SecretBytes?]())
        for _ in 0..<count {
            let answer = try reader.secret(atMost: SyncLimits.sealedBytes)
            found.append(answer.count == 0 ? nil : answer)
        }
        return found
    }

    static func write(bodies: [SecretBytes]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: room(bodies))
        for body in bodies { body.withSpan { buffer.append(bytes: $0) } }
        return buffer.finish()
    }

    static func read(bodies list: SecretBytes) throws(Refusal) -> [SecretBytes] {
        var (reader, bodies) = (WireReader(list), [SecretBytes]())
        repeat {
            bodies.append(try reader.secret(atMost: SyncLimits.sealedBytes))
        } while !reader.isAtEnd && bodies.count < CircleLists.most
        guard reader.isAtEnd else { throw .malformed("the number of shelves") }
        return bodies
    }
}

extension EnclaveCalls {
    /// Files: bodies, room for their boxes.
    package static let boxShelves = EnclaveCall<EmptyMessage, EmptyMessage>(116, files: 2) {
        (call, _) throws(Refusal) in
        let (bodies, records) = try CircleLists.read(try CircleFile.secret(call.files[0], CircleLists.bytes))
        let boxes = try call.enclave.boxShelves(bodies, of: records)
        try CircleFile.fill(call.files[1], CircleShelves.write(boxes, room: CircleShelves.room(bodies)))
        return EmptyMessage()
    }

    /// Files: boxes, room for the bodies.
    package static let unboxShelves = EnclaveCall<EmptyMessage, EmptyMessage>(117, files: 2) {
        (call, _) throws(Refusal) in
        let (boxes, records) = try CircleLists.read(try CircleFile.secret(call.files[0], CircleLists.bytes))
        let bodies = try call.enclave.unboxShelves(boxes, of: records)
        try CircleFile.fill(call.files[1], CircleShelves.write(bodies, room: CircleShelves.room(boxes)))
        return EmptyMessage()
    }

    /// Files: bodies, room for the commitments.
    package static let shelfCommitments = EnclaveCall<EmptyMessage, EmptyMessage>(118, files: 2) {
        (call, _) throws(Refusal) in
        let bodies = try CircleShelves.read(bodies: try CircleFile.secret(call.files[0], CircleLists.bytes))
        let commitments = SecretBuffer()
        for one in try call.enclave.commitments(toShelves: bodies) { commitments.append(one.span) }
        try CircleFile.fill(call.files[1], commitments.finish())
        return EmptyMessage()
    }
}

extension EnclaveConnection {
    package func boxShelves(_ bodies: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        let answer = try exchange(
            EnclaveCalls.boxShelves, EmptyMessage(), CircleLists.write(bodies, of: records),
            CircleShelves.room(bodies))
        let boxes = try CircleShelves.read(answer, bodies.count).compactMap(\.self)
        guard boxes.count == bodies.count else { throw .malformed("the boxes of shelves") }
        return boxes
    }

    package func unboxShelves(_ boxes: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes?] {
        let answer = try exchange(
            EnclaveCalls.unboxShelves, EmptyMessage(), CircleLists.write(boxes, of: records),
            CircleShelves.room(boxes))
        return try CircleShelves.read(answer, boxes.count)
    }

    package func commitments(toShelves bodies: [SecretBytes]) throws(Refusal) -> [[UInt8]] {
        let size = SyncShelf.commitmentSize
        let answer = try exchange(
            EnclaveCalls.shelfCommitments, EmptyMessage(), CircleShelves.write(bodies: bodies), bodies.count * size)
        return answer.withSpan { span in bodies.indices.map { span.array($0 * size, size) } }
    }
}
