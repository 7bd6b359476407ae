import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// Shelves go from enclave to enclave in a circle, and no daemon has their keys on the way.
@Suite("Shelves in a circle") struct CircleShelfTests {
    private let circle: TestCircle
    private var here: CircleMachine { circle.machines[0] }
    private var there: CircleMachine { circle.machines[1] }

    init() throws { circle = try TestCircle(2) }

    private func shelf(
        _ protection: FileProtection = .complete, class place: Int = 0, control: UInt64 = 0
    ) throws(Refusal) -> Shelf {
        try here.connection.makeShelf(
            protection, .test(protection.accessibilities[place], control: control), in: nil)
    }

    /// The body of a shelf's record, as the daemon has it.
    private func body(_ shelf: Shelf, commitment: [UInt8]? = nil) -> SecretBytes {
        SyncShelf(
            id: shelf.id, made: 1, name: "letters", commitment: commitment ?? [UInt8](repeating: 0, count: 32),
            key: SecretBytes(copying: shelf.key.bytes.span)
        ).encoded()
    }

    private func shelf(in body: SecretBytes?) throws -> Shelf {
        let record = try #require(try body?.withSpan { span in try SyncShelf(decoding: span) })
        return try Shelf(id: record.id, key: try SealedKey(decoding: record.key))
    }

    private func place(kind: UInt8 = SyncRecord.Kind.shelf, hlc: UInt64 = 5) throws -> BoxedRecord {
        let record = SyncRecord(
            kind: kind, itemClass: ShelfID.classNumber, protection: 2, rid: RecordID([1]), hlc: hlc,
            body: SecretBytes(count: 0))
        return BoxedRecord(record, in: try here.header(circle.current))
    }

    private func box(_ body: SecretBytes, _ place: BoxedRecord) throws -> [SecretBytes] {
        try here.connection.boxShelves([body], of: [place])
    }

    @Test("A file's key comes out by its shelf on another machine of the circle, under the same id and head")
    func travels() throws {
        let file = FileID()
        for protection in FileProtection.allCases {
            let (shelf, place) = (try shelf(protection), try place())
            let made = try here.connection.makeFileKey(of: file, in: shelf, in: nil)
            let boxes = try box(body(shelf), place)
            let arrived = try #require(try there.connection.unboxShelves(boxes, of: [place]).first)
            let other = try self.shelf(in: arrived)
            #expect(other.id == shelf.id && other.key.head == shelf.key.head && other.key.sealed != shelf.key.sealed)
            #expect(try there.connection.unwrapFileKey(made.slot, of: file, by: other, in: nil).isEqual(to: made.key))
            #expect(refusal { _ = try there.connection.unwrapFileKey(made.slot, of: file, by: shelf, in: nil) } != nil)
            let commitments = [
                try here.connection.commitments(to: [shelf]), try there.connection.commitments(to: [other]),
                [try #require(try arrived?.withSpan { span in try SyncShelf(decoding: span) }).commitment],
            ]
            #expect(Set(commitments).count == 1 && commitments[0].count == 1 && commitments[0][0] != nil)
        }
    }

    @Test("The box of a shelf opens neither as that of an item nor at another place, and that of an item as no shelf")
    func separate() throws {
        let (body, place) = (body(try shelf()), try place())
        let boxes = try box(body, place)
        for machine in circle.machines {
            #expect(try machine.connection.unboxBodies(boxes, of: [place]).allSatisfy { $0 == nil })
            let elsewhere = try self.place(hlc: 6)
            #expect(try machine.connection.unboxShelves(boxes, of: [elsewhere]).allSatisfy { $0 == nil })
        }
        let items = try here.connection.boxBodies([body], of: [place])
        #expect(try there.connection.unboxShelves(items, of: [place]).allSatisfy { $0 == nil })
    }

    @Test("A shelf of this device alone stays, and so does one that asks its user; a locked enclave moves none")
    func stays() throws {
        for number in 1...2 {
            let local = body(try shelf(class: number))
            #expect(refusal { _ = try here.connection.boxShelves([local], of: [try place()]) } != nil)
        }
        let guarded = try shelf(control: Flag.userPresence)
        #expect(refusal { _ = try here.connection.boxShelves([body(guarded)], of: [try place()]) } != nil)
        let damaged = try shelf().with(sealed: [UInt8](repeating: 1, count: 92))
        let known = try here.connection.commitments(to: [guarded, damaged, try shelf()])
        #expect(known.map { $0 == nil } == [true, true, false])
        let (open, at) = (body(try shelf()), try place())
        let boxes = try box(open, at)
        try there.connection.lock()
        #expect(refusal { _ = try there.connection.unboxShelves(boxes, of: [at]) }?.rule == .locked)
    }

    /// The content of a box of a shelf whose keys are these.
    private func clear(_ shelf: Shelf, keys other: Shelf? = nil, commitment: [UInt8]? = nil) throws -> SecretBytes {
        let secret = try here.served.enclave.keys(of: other ?? shelf, in: nil).encoded()
        let keys = secret.withSpan { $0.array(0, $0.count) }
        let message = Array("keychain sync 1: shelf".utf8) + shelf.id.bytes + shelf.key.head + keys
        return body(
            try shelf.with(sealed: keys), commitment: try commitment ?? BatchHash(sha256: message.span).bytes)
    }

    /// The same keys under another id, as they were before ids were made of keys.
    private func renamed(_ shelf: Shelf) throws -> Shelf {
        let keys = try here.served.enclave.keys(of: shelf, in: nil)
        return try here.served.enclave.sealed(keys, as: ShelfID(), shelf.protection, shelf.key.binding, in: nil)
    }

    @Test("Each shelf has an id of its own keys, and one with another id opens its files and stays")
    func identifiers() throws {
        for protection in FileProtection.allCases {
            let (file, shelf) = (FileID(), try shelf(protection))
            let keys = try here.served.enclave.keys(of: shelf, in: nil).encoded().withSpan { $0.array(0, $0.count) }
            let message = Array("keychain shelf 1: id".utf8) + shelf.key.head + keys
            #expect(try BatchHash(sha256: message.span).bytes.prefix(ShelfID.size) == shelf.id.bytes[...])
            let older = try renamed(shelf)
            let made = try here.connection.makeFileKey(of: file, in: older, in: nil)
            #expect(try here.connection.unwrapFileKey(made.slot, of: file, by: older, in: nil).isEqual(to: made.key))
            #expect(try here.connection.commitments(to: [older, shelf]).map { $0 == nil } == [true, false])
            #expect(refusal { _ = try here.connection.boxShelves([body(older)], of: [try place()]) } != nil)
        }
    }

    @Test("What a member in wrong hands puts into a shelf's box is no shelf: other keys, another device's, or nothing")
    func hostile() throws {
        let (shelf, other) = (try shelf(), try self.shelf())
        let truth = try clear(shelf)
        let lies = [
            try clear(shelf, keys: other), try clear(shelf, commitment: [UInt8](repeating: 1, count: 32)),
            try clear(try renamed(shelf)), try clear(try self.shelf(class: 1)), body(try shelf.with(sealed: [])),
            SecretBytes(count: 64),
        ]
        for (number, body) in (lies + [truth]).enumerated() {
            let place = try place()
            let boxes = try here.served.enclave.boxBodies([body], of: [place], as: .shelf)
            let opened = try there.connection.unboxShelves(boxes, of: [place])
            #expect(opened.map { $0 != nil } == [number == lies.count], "\(number)")
        }
    }
}
