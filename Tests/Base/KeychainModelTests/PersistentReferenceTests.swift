import TestSupport
import Testing

@testable import KeychainModel

@Suite("Persistent references", .rule("persistent-references.form.twenty"))
struct PersistentReferenceTests {
    private static let uuid = [UInt8](1...16)

    @Test("The current form is the class and the UUID: 20 bytes, there and back", arguments: ItemClass.allCases)
    func current(itemClass: ItemClass) throws {
        let bytes = try #require(PersistentReference(itemClass, uuid: Self.uuid).bytes)
        #expect(bytes == Array(itemClass.code.utf8) + Self.uuid)
        #expect(PersistentReference(bytes) == PersistentReference(itemClass, uuid: Self.uuid))
    }

    @Test(
        "The old form is the class and the row's number, most significant byte first",
        arguments: [
            ([0, 0, 0, 0, 0, 0, 1, 2], 258), ([0, 0, 0, 0, 0, 0, 0, 0], 0),
            ([127] + Array(repeating: 255, count: 7), .max),
            ([255, 255, 255, 255, 255, 255, 255, 255], -1), ([128, 0, 0, 0, 0, 0, 0, 0], .min),
        ] as [([UInt8], Int64)])
    func old(number: [UInt8], row: Int64) throws {
        let reference = try #require(PersistentReference(Array("inet".utf8) + number))
        #expect(reference.itemClass == .internetPassword)
        #expect(reference.item == .row(row))
        #expect(reference.bytes == nil)
    }

    @Test("Anything of another length is no reference", arguments: (0...40).filter { $0 != 12 && $0 != 20 })
    func otherLengths(count: Int) {
        #expect(
            PersistentReference(Array("genp".utf8.prefix(count)) + Array(repeating: 0, count: max(0, count - 4))) == nil
        )
    }

    @Test("Bytes that begin with no class are no reference", arguments: ["gen\u{0}", "GENP", "tkpr", "    "])
    func otherClasses(code: String) {
        #expect(PersistentReference(Array(code.utf8) + Self.uuid) == nil)
    }

    @Test("A class that is not UTF-8 is no reference")
    func notText() { #expect(PersistentReference([0xFF, 0xFE, 0xFD, 0xFC] + Self.uuid) == nil) }
}
