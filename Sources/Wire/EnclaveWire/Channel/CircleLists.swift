import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// Many records in one call of the enclave. They travel in files.
///
///     bodies  = *(place:116 length:u32 body)  → *box                ; with ``CircleBox/overhead``
///     boxes   = *(place:116 length:u32 box)   → *(outcome:u8 body)  ; 1, or 0 and as many zeros
///     records = *(class:u8 length:u32 primaryKey) → *rid:16
package enum CircleLists {
    /// The records of one call.
    package static let most = 1024
    /// Their bytes: the largest record alone, or many small ones.
    package static let bytes = 2 * SyncLimits.sealedBytes

    /// The elements in their order, in runs that one call takes.
    package static func runs<Element>(_ list: [Element], by size: (Element) -> Int) -> [[Element]] {
        var (runs, room): ([[Element]], Int) = ([], 0)
        for element in list {
            let needed = size(element) + BoxedRecord.size + 4
            if runs.isEmpty || room < needed || runs[runs.count - 1].count == most {
                runs.append([])
                room = SyncLimits.sealedBytes
            }
            runs[runs.count - 1].append(element)
            room -= needed
        }
        return runs
    }
}

extension CircleLists {
    static func write(_ bodies: [SecretBytes], of records: [BoxedRecord]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: bodies.reduce(0) { $0 + $1.count + BoxedRecord.size + 4 })
        for (body, record) in zip(bodies, records) {
            record.append(to: buffer)
            body.withSpan { buffer.append(bytes: $0) }
        }
        return buffer.finish()
    }

    /// - Throws: `errSecParam` (`wire.malformed`) for bytes that are no such list, and for an empty one.
    static func read(_ list: SecretBytes) throws(Refusal) -> (bodies: [SecretBytes], records: [BoxedRecord]) {
        var (reader, bodies, records) = (WireReader(list), [SecretBytes](), [BoxedRecord]())
        repeat {
            records.append(try BoxedRecord(from: &reader))
            bodies.append(try reader.secret(atMost: SyncLimits.sealedBytes))
        } while !reader.isAtEnd && bodies.count < most
        guard reader.isAtEnd else { throw .malformed("the number of records") }
        return (bodies, records)
    }

    static func write(opened bodies: [SecretBytes?], sizes: [Int]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: sizes.reduce(0) { $0 + $1 + 1 })
        for (body, size) in zip(bodies, sizes) {
            buffer.append(body == nil ? 0 : 1)
            guard let body else {
                buffer.append(count: size) { _ in }
                continue
            }
            body.withSpan { buffer.append($0) }
        }
        return buffer.finish()
    }

    static func read(opened list: SecretBytes, sizes: [Int]) throws(Refusal) -> [SecretBytes?] {
        var (reader, bodies) = (WireReader(list), [SecretBytes?]())
        for size in sizes {
            let outcome = try reader.integer(UInt8.self)
            let body = try reader.secret(size)
            bodies.append(outcome == 1 ? body : nil)
        }
        return bodies
    }

    static func write(_ names: [RecordNaming]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: names.reduce(0) { $0 + $1.primaryKey.count + 5 })
        for name in names {
            buffer.append(name.itemClass)
            name.primaryKey.withSpan { buffer.append(bytes: $0) }
        }
        return buffer.finish()
    }

    static func read(names list: SecretBytes) throws(Refusal) -> [RecordNaming] {
        var (reader, names) = (WireReader(list), [RecordNaming]())
        repeat {
            names.append(
                RecordNaming(
                    itemClass: try reader.integer(UInt8.self), primaryKey: try reader.secret(atMost: bytes)))
        } while !reader.isAtEnd && names.count < most
        guard reader.isAtEnd else { throw .malformed("the number of records") }
        return names
    }
}

extension EnclaveCalls {
    /// Files: bodies, room for their boxes.
    package static let boxBodies = EnclaveCall<EmptyMessage, EmptyMessage>(105, files: 2) { (call, _) throws(Refusal) in
        let (bodies, records) = try CircleLists.read(try CircleFile.secret(call.files[0], CircleLists.bytes))
        let boxes = SecretBuffer()
        for box in try call.enclave.boxBodies(bodies, of: records) { box.withSpan { boxes.append($0) } }
        try CircleFile.fill(call.files[1], boxes.finish())
        return EmptyMessage()
    }

    /// Files: boxes, room for their bodies.
    package static let unboxBodies = EnclaveCall<EmptyMessage, EmptyMessage>(106, files: 2) {
        (call, _) throws(Refusal) in
        let (boxes, records) = try CircleLists.read(try CircleFile.secret(call.files[0], CircleLists.bytes))
        let bodies = try call.enclave.unboxBodies(boxes, of: records)
        let answer = CircleLists.write(opened: bodies, sizes: boxes.map(\.sizeOfBody))
        try CircleFile.fill(call.files[1], answer)
        return EmptyMessage()
    }

    /// Files: classes and primary keys, room for the identifiers.
    package static let recordIDs = EnclaveCall<EmptyMessage, EmptyMessage>(107, files: 2) { (call, _) throws(Refusal) in
        let names = try CircleLists.read(names: try CircleFile.secret(call.files[0], CircleLists.bytes))
        let identifiers = SecretBuffer()
        for rid in try call.enclave.recordIDs(names) { identifiers.append(rid.bytes.span) }
        try CircleFile.fill(call.files[1], identifiers.finish())
        return EmptyMessage()
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

    /// Files: shelves, room for the commitments.
    package static let shelfCommitments = EnclaveCall<EmptyMessage, EmptyMessage>(118, files: 2) {
        (call, _) throws(Refusal) in
        let list = try CircleFile.secret(call.files[0], CircleLists.bytes)
        let shelves = try CircleShelves.read(shelves: list, atMost: CircleLists.most)
        try CircleFile.fill(call.files[1], CircleShelves.write(commitments: try call.enclave.commitments(to: shelves)))
        return EmptyMessage()
    }
}

extension SecretBytes {
    /// The bytes of a body in a box.
    var sizeOfBody: Int { max(0, count - CircleBox.overhead) }
}
