import TestSupport
import Testing

@testable import KeychainModel

@Suite("What an attribute makes of a value", .rule("items.attributes.kinds"))
struct ValueConversionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let code: String
        let given: RawValue
        /// Nil when it is refused.
        let kept: AttributeValue?
        var testDescription: String { "\(code) given \(given.kindName) \(given)" }

        init(_ code: String, _ given: RawValue, _ kept: AttributeValue?) {
            (self.code, self.given, self.kept) = (code, given, kept)
        }
    }

    private static let uuid = RawValue.uuid([0x0A, 0x1B, 0x2C, 0x3D, 0x4E, 0x5F, 0, 1, 2, 3, 4, 5, 6, 7, 8, 255])
    private static let notText: [UInt8] = [0xFF, 0xFE]

    static let blobs = [
        Case("acct", .string("a"), .string("a")), Case("acct", .string(""), .string("")),
        Case("acct", .data([1, 2]), .data([1, 2])), Case("acct", .data([]), .data([])),
        Case("acct", .data(notText), .data(notText)), Case("acct", .number(7), .number(7)),
        Case("acct", .boolean(true), nil), Case("acct", .date(0), nil), Case("acct", .null, nil),
        Case("acct", uuid, nil), Case("acct", .other("NSArray"), nil),
        Case("acct", .accessControl(AccessControl(.always, flags: 0)), nil),
    ]

    static let strings = [
        Case("agrp", .string("g"), .string("g")), Case("agrp", .data([0x67]), .string("g")),
        Case("agrp", .data(notText), nil), Case("agrp", .number(1), nil), Case("agrp", .boolean(false), nil),
        Case("agrp", uuid, .string("0A1B2C3D-4E5F-0001-0203-0405060708FF")), Case("agrp", .date(0), nil),
        Case("agrp", .null, nil), Case("agrp", .other("NSArray"), nil),
    ]

    static let datas = [
        Case("gena", .data([9]), .data([9])), Case("gena", .string("é"), .data([0xC3, 0xA9])),
        Case("gena", .number(0x0102_0304), .data([4, 3, 2, 1])),
        Case("gena", .number(-1), .data([255, 255, 255, 255])),
        Case("gena", .boolean(true), nil), Case("gena", .date(0), nil), Case("gena", .null, nil),
        Case("gena", uuid, nil),
        Case("gena", .other("NSArray"), nil),
    ]

    static let numbers = [
        Case("port", .number(443), .number(443)), Case("port", .number(.min), .number(.min)),
        Case("port", .boolean(true), .number(1)), Case("port", .boolean(false), .number(0)),
        Case("port", .string("443"), .number(443)), Case("port", .string("-1"), .number(-1)),
        // A text that does not convert back to itself is not a decimal number.
        Case("port", .string("0443"), .string("0443")), Case("port", .string("+1"), .string("+1")),
        Case("port", .string("99999999999999999999"), .string("99999999999999999999")),
        Case("port", .string("https"), .string("https")),
        Case("port", .string(""), nil), Case("ptcl", .string(""), .string("")),
        Case("port", .data([1]), nil), Case("port", .date(0), nil), Case("port", .null, nil), Case("port", uuid, nil),
        Case("port", .other("NSArray"), nil),
    ]

    static let others = [
        Case("sdat", .date(1.5), .date(1.5)), Case("sdat", .number(1), nil), Case("sdat", .string("1"), nil),
        Case("sdat", .data([1]), nil), Case("sdat", .boolean(true), nil), Case("sdat", .null, nil),
        Case("accc", .accessControl(AccessControl(.whenUnlocked, flags: nil)), .data([0x61, 0x6B])),
        Case("accc", .data([0x61, 0x6B]), nil),
        Case("accc", .string("ak"), nil), Case("accc", .number(1), nil), Case("accc", .null, nil),
    ]

    @Test("A value is kept as the kind of attribute wants it, or refused with -50", arguments: blobs + strings + datas)
    func converts(_ testCase: Case) throws { try check(testCase) }

    @Test("Numbers, dates and access controls take what they can be made of", arguments: numbers + others)
    func convertsNumbers(_ testCase: Case) throws { try check(testCase) }

    private func check(_ testCase: Case) throws {
        let attribute = try #require(AttributeTable.attribute(code: testCase.code))
        var kept: AttributeValue?
        let refused = refusal { () throws(Refusal) in kept = try attribute.accept(testCase.given) }
        #expect(kept == testCase.kept)
        guard testCase.kept == nil else { return }
        #expect(refused?.status == .param && refused?.rule == .wrongType && refused?.subject == testCase.code)
    }

    @Test("What accept makes of a value, allows lets through, for every attribute and every value")
    func acceptedIsAllowed() {
        let values: [RawValue] = [
            .string("1"), .string("x"), .data([1]), .number(1), .boolean(true), .date(1), Self.uuid,
        ]
        var accepted = 0
        for attribute in AttributeTable.rows {
            for value in values {
                guard let kept = try? attribute.accept(value) else { continue }
                accepted += 1
                #expect(attribute.allows(kept.kind), "\(attribute.displayName) given \(value)")
            }
        }
        #expect(accepted > AttributeTable.rows.count)
    }

    @Test(
        "the access group, the account and the service keep any text", .rule("items.attributes.text"),
        arguments: ["agrp", "acct", "svce"],
        ["", "com.example.app", "ÄÖÜ \u{1F512}", "a\u{0}b"])
    func texts(code: String, text: String) throws {
        let attribute = try #require(AttributeTable.attribute(code: code))
        #expect(try attribute.accept(.string(text)) == .string(text))
    }
}
