import KeychainModel
import LinuxSystem
import Testing

@Suite("The attributes by which programs of the Secret Service find an item")
struct LookupAttributesTests {
    private let list = LookupAttributes(
        pairs: ["user": "anna", "app": "démo", "empty": ""], kind: "org.example", contentType: "text/plain")

    @Test("A list is read as it was written, and its bytes do not depend on the order of the names")
    func roundTrip() {
        #expect(LookupAttributes(list.encoded) == list)
        let none = LookupAttributes(pairs: [:])
        #expect(LookupAttributes(none.encoded) == none)
        #expect(list.encoded.starts(with: [1, 3, 0, 3, 0] + Array("app".utf8)))
    }

    @Test("Names that Unicode calls equivalent are two names, in the list and in a comparison")
    func equivalentNames() {
        let (one, other): (ExactText, ExactText) = ("\u{E9}", "e\u{301}")
        let both = LookupAttributes(pairs: [one: "1", other: "2"])
        #expect(LookupAttributes(both.encoded)?.pairs == [one: "1", other: "2"])
        let single = LookupAttributes(pairs: [one: "1"]).encoded
        for pairs: LookupAttributes.Pairs in [[other: "1"], [one: "e\u{301}"]] {
            let found = LookupAttributes.contains(single.span, LookupAttributes(pairs: pairs).encoded.span)
            #expect(!found)
        }
    }

    @Test("Bytes that end early, go on, or have another version are no list")
    func malformed() {
        let bytes = list.encoded
        for count in bytes.indices { #expect(LookupAttributes(Array(bytes[..<count])) == nil) }
        #expect(LookupAttributes(bytes + [0]) == nil)
        #expect(LookupAttributes([2] + bytes.dropFirst()) == nil)
        #expect(LookupAttributes([1, 2, 0, 1, 0, 97, 0, 0, 0, 0, 1, 0, 97, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
        #expect(LookupAttributes([1, 1, 0, 1, 0, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test("The kind is the schema, else the type, else the usual one, and counts as an attribute")
    func kinds() {
        let schema = LookupAttributes.schema
        #expect(list.all[schema] == "org.example")
        #expect(LookupAttributes(pairs: [:]).all == [schema: ExactText(LookupAttributes.generic)])
        let both = LookupAttributes(pairs: [schema: "a"], kind: "b")
        #expect(both.all == [schema: "a"])
    }

    @Test("An item has all pairs that are asked for, or it is not found")
    func containing() {
        func has(_ pairs: LookupAttributes.Pairs) -> Bool {
            LookupAttributes.contains(list.encoded.span, LookupAttributes(pairs: pairs).encoded.span)
        }
        #expect(has([:]) && has(["user": "anna"]) && has(["user": "anna", "app": "démo", "empty": ""]))
        #expect(has([LookupAttributes.schema: "org.example"]))
        #expect(!has(["user": "Anna"]) && !has(["user": "anna", "more": ""]) && !has(["use": "ranna"]))
        func contains(_ stored: [UInt8], _ asked: [UInt8]) -> Bool {
            LookupAttributes.contains(stored.span, asked.span)
        }
        #expect(!contains(list.encoded, []))
        #expect(!contains([], LookupAttributes(pairs: [:]).encoded))
    }

    @Test("More pairs, longer names and more bytes than an item may have are noticed")
    func limits() {
        let many = Dictionary(uniqueKeysWithValues: (0..<64).map { (ExactText("\($0)"), ExactText("")) })
        #expect(LookupAttributes(pairs: many).isWithinLimits)
        #expect(!LookupAttributes(pairs: many.merging(["more": ""]) { $1 }).isWithinLimits)
        let name = String(repeating: "n", count: 1024)
        #expect(LookupAttributes(pairs: [ExactText(name): ""]).isWithinLimits)
        #expect(!LookupAttributes(pairs: [ExactText(name + "n"): ""]).isWithinLimits)
        #expect(LookupAttributes(pairs: ["v": ExactText(String(repeating: "v", count: 16383))]).isWithinLimits)
        #expect(!LookupAttributes(pairs: ["v": ExactText(String(repeating: "v", count: 16384))]).isWithinLimits)
        #expect(!LookupAttributes(pairs: [:], kind: name + "n").isWithinLimits)
    }
}
