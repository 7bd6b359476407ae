import LinuxSystem
import TestSupport
import Testing

@testable import KeychainModel

@Suite("The encoding of attributes")
struct AttributeListTests {
    private static let example: [(AttributeID, AttributeValue)] = [
        (.account, .string("añb")), (.service, .string("")), (.generic, .data([0, 255])), (.port, .number(-2)),
        (.creationDate, .date(1.5)), (.valueData, .data([])),
    ]

    @Test("A list is exactly the bytes the format says")
    func bytes() throws {
        let list = try AttributeList([(.account, .string("ab")), (.port, .number(258)), (.creationDate, .date(1))])
        #expect(
            list.bytes == [
                18, 0, 1, 0, 2, 0, 0, 0, 0x61, 0x62,
                25, 0, 3, 0, 8, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0,
                5, 0, 4, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F,
            ])
    }

    @Test("What was written is read again")
    func thereAndBack() throws {
        let list = try AttributeList(Self.example)
        #expect(list.entries.count == Self.example.count)
        for (id, value) in Self.example { #expect(list[id] == value) }
        #expect(list[.label] == nil)
    }

    @Test("No bytes are an empty list")
    func empty() throws { #expect(try AttributeList(bytes: []).entries.isEmpty) }

    @Test("Cut off anywhere but between two entries, a list is malformed")
    func truncated() throws {
        let list = try AttributeList(Self.example)
        let borders = Set([0] + list.entries.map { $0.offset + $0.length })
        #expect(borders.count == Self.example.count + 1)
        for count in 0..<list.bytes.count {
            let cut = Array(list.bytes.prefix(count))
            #expect(isList(cut) == borders.contains(count), "after \(count) bytes")
        }
    }

    @Test(
        "An entry that breaks the grammar makes the list malformed",
        arguments: [
            ("kind 0", [18, 0, 0, 0, 0, 0, 0, 0]), ("kind 5", [18, 0, 5, 0, 0, 0, 0, 0]),
            ("kind 255", [18, 0, 255, 0, 0, 0, 0, 0]), ("a byte that must be zero", [18, 0, 1, 1, 0, 0, 0, 0]),
            ("one byte too long", [18, 0, 1, 0, 2, 0, 0, 0, 65]),
            ("as long as can be", [18, 0, 1, 0, 255, 255, 255, 255]),
            ("a sign bit in the length", [18, 0, 1, 0, 0, 0, 0, 128]),
            ("a number of no bytes", [25, 0, 3, 0, 0, 0, 0, 0]),
            ("a number of four bytes", [25, 0, 3, 0, 4, 0, 0, 0, 1, 0, 0, 0]),
            ("a date of nine bytes", [5, 0, 4, 0, 9, 0, 0, 0] + Array(repeating: 0, count: 9)),
        ] as [(String, [UInt8])])
    func malformed(_: String, bytes: [UInt8]) {
        #expect(throws: AttributeList.Malformed.self) { try AttributeList(bytes: bytes) }
    }

    @Test("128 entries are a list, 129 are not", arguments: [(128, true), (129, false)])
    func numberOfEntries(count: Int, isList: Bool) {
        let bytes = (0..<count).flatMap { _ in [18, 0, 2, 0, 0, 0, 0, 0] as [UInt8] }
        #expect(self.isList(bytes) == isList)
    }

    private func isList(_ bytes: [UInt8]) -> Bool { (try? AttributeList(bytes: bytes)) != nil }

    @Test("Text that is not UTF-8 has no value, and of two entries the first counts")
    func values() throws {
        let broken = try AttributeList(bytes: [18, 0, 1, 0, 1, 0, 0, 0, 0xFF])
        #expect(broken.entry(.account) != nil)
        #expect(broken[.account] == nil)
        #expect(
            try AttributeList([(.account, .string("first")), (.account, .string("second"))])[.account]
                == .string("first"))
    }

    @Test("A range that runs over the storage is malformed, not a crash")
    func rangeOverTheEnd() throws {
        let storage = try AttributeList(Self.example).storage
        #expect(throws: AttributeList.Malformed.self) {
            try AttributeList(parsing: storage, in: 0..<storage.count + 1)
        }
    }

    @Test(
        "10,000 random inputs are lists or malformed, and nothing else happens; what parses is checked without a crash")
    func random() throws {
        var generator = SplitMix64(seed: 0x5EED)
        var parsed = 0
        for _ in 0..<10_000 {
            let bytes = Self.randomBytes(&generator)
            guard let list = try? AttributeList(bytes: bytes) else { continue }
            parsed += 1
            #expect(list.entries.reduce(0) { $0 + AttributeList.headerSize + $1.length } == bytes.count)
            for entry in list.entries { _ = list.value(entry) }
            for operation in [ItemRequest.Operation.add, .copyMatching, .update, .delete] {
                let itemClass = ItemClass.allCases.randomElement(using: &generator)
                try? ItemRequest.handmade(operation, itemClass, query: list, changes: list).check()
            }
        }
        #expect(parsed > 1_000)
    }

    /// Mostly entries with one error or another, sometimes random bytes.
    private static func randomBytes(_ generator: inout SplitMix64) -> [UInt8] {
        if Bool.random(using: &generator) && Bool.random(using: &generator) {
            return (0..<Int.random(in: 0...64, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
        }
        return (0..<Int.random(in: 0...5, using: &generator)).flatMap { _ in randomEntry(&generator) }
    }

    private static func randomEntry(_ generator: inout SplitMix64) -> [UInt8] {
        let kind = UInt8.random(in: 1...4, using: &generator)
        let length = kind > 2 ? 8 : Int.random(in: 0...20, using: &generator)
        let announced = Int.random(in: 0...9, using: &generator) == 0 ? length + 1 : length
        let id = Bool.random(using: &generator) ? UInt8.random(in: 0...70, using: &generator) : 1
        return [id, Int.random(in: 0...9, using: &generator) == 0 ? 0xF0 : 0, kind, 0, UInt8(announced), 0, 0, 0]
            + (0..<length).map { _ in .random(in: 0...255, using: &generator) }
    }
}
