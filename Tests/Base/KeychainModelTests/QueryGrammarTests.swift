import TestSupport
import Testing

@testable import KeychainModel

@Suite("The keys of a dictionary", .rule("queries.keys.dispatch"))
struct QueryGrammarTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let key: String
        let value: RawValue
        let status: KeychainStatus
        var testDescription: String { "\(key) = \(value)" }

        init(_ key: String, _ value: RawValue, _ status: KeychainStatus = .success) {
            (self.key, self.value, self.status) = (key, value, status)
        }
    }

    private static let reference = RawValue.data(Array("genp".utf8) + Array(repeating: 1, count: 16))

    static let attributes = [
        Case("acct", .string("a")), Case("nleg", .boolean(true)), Case("nleg", .other("NSArray")),
        Case("zzzz", .string("a"), .noSuchAttribute), Case("ACCT", .string("a"), .noSuchAttribute),
        // Four characters are an attribute's name, whatever they begin with.
        Case("cabc", .string("a"), .noSuchAttribute), Case("fabc", .string("a"), .noSuchAttribute),
        Case("m_ab", .string("a"), .noSuchAttribute), Case("r_ab", .boolean(true), .noSuchAttribute),
        Case("u_ab", .string("a"), .noSuchAttribute), Case("v_ab", .data([]), .noSuchAttribute),
        Case("äöüß", .string("a"), .noSuchAttribute),
        Case("UUID", .string("a"), .missingEntitlement), Case("persistref", .data([]), .missingEntitlement),
        Case("sha1", .data([]), .missingEntitlement), Case("pcss", .number(1), .missingEntitlement),
    ]

    static let keys = [
        Case("class", .string("inet")), Case("cls", .string("inet"), .param),
        Case("c_anything", .string("inet"), .param),
        Case("class", .string("none"), .noSuchClass), Case("class", .string("apls"), .noSuchClass),
        Case("class", .number(1), .noSuchClass), Case("class", .null, .noSuchClass),
        Case("class", .string("kSecClassGenericPassword"), .noSuchClass),
        Case("f", .string("a")), Case("foo", .string("a")), Case("fifth", .null),
        Case("m_Limit", .string("m_LimitOne")), Case("m_Limit", .string("m_LimitAll")), Case("m_Limit", .number(1)),
        Case("m_Limit", .number(5)), Case("m_Limit", .number(.max)),
        Case("m_Limit", .string("all"), .param), Case("m_Limit", .boolean(true), .param),
        Case("m_Limit", .number(-1), .param), Case("m_Limit", .null, .param),
        Case("m_CaseInsensitive", .boolean(true)), Case("m_SubjectContains", .string("x")),
        Case("m_ItemList", .other("NSArray")), Case("m_SearchList", .other("NSArray")),
        Case("m_NobodyKnows", .other("NSArray")), Case("message", .string("x")),
        Case("m_HostOrSubdomainOfHost", .string("example.org")), Case("m_HostOrSubdomainOfHost", .number(1), .param),
    ]

    static let others = [
        Case("r_Data", .boolean(true)), Case("r_Data", .boolean(false)), Case("r_Data", .number(1), .param),
        Case("r_Data", .string("true"), .param), Case("r_Attributes", .null, .param),
        Case("r_Nothing", .boolean(true), .param), Case("return", .boolean(true), .param),
        Case("v_Data", .data([1])), Case("v_Data", .data([])), Case("v_Data", .string("secret"), .param),
        Case("v_Data", .null, .param), Case("v_Data", .number(1), .param), Case("v_Nothing", .data([]), .param),
        Case("v_PersistentRef", reference), Case("v_PersistentRef", .string("x"), .param),
        Case("v_Ref", .other("SecKey"), .param),
        Case("u_AuthUI", .string("u_AuthUIA")), Case("u_AuthUI", .string("u_AuthUIF")),
        Case("u_AuthUI", .string("u_AuthUIS")), Case("u_AuthUI", .string("ask"), .param),
        Case("u_AuthUI", .boolean(true), .param), Case("u_NoAuthUI", .boolean(true)),
        Case("u_NoAuthUI", .string("yes"), .param), Case("u_OpPrompt", .string("please")),
        Case("u_AuthCtx", .other("NSObject"), .param), Case("u_ItemList", .other("NSArray")),
        Case("u_Tomb", .boolean(false)), Case("u_Tomb", .number(0), .param),
        Case("u_SystemKeychain", .boolean(true), .missingEntitlement), Case("u_Nothing", .boolean(true), .param),
        Case("", .string("a"), .param), Case("x", .string("a"), .param), Case("account", .string("a"), .param),
        Case("kSec", .string("a"), .noSuchAttribute),
    ]

    @Test("A key of four characters is an attribute", arguments: attributes)
    func attributeKeys(_ testCase: Case) { check(testCase) }

    @Test(
        "The class is one key alone; a key's first letter says that it is a match key, or nothing at all",
        arguments: keys)
    func classAndMatchKeys(_ testCase: Case) { check(testCase) }

    @Test("Return, use and value keys are known one by one, and take one kind of value", arguments: others)
    func otherKeys(_ testCase: Case) { check(testCase) }

    private func check(_ testCase: Case) {
        let found = status { () throws(Refusal) in
            _ = try ItemRequest.made(.copyMatching, [testCase.key: testCase.value])
        }
        #expect(found == testCase.status)
    }

    @Test("Keys are read into the request they ask for")
    func meaning() throws {
        let request = try ItemRequest.made(
            .copyMatching,
            [
                "class": .string("inet"), "m_Limit": .number(7), "r_Data": .boolean(true), "r_Ref": .boolean(false),
                "r_PersistentRef": .boolean(true), "u_NoAuthUI": .boolean(true), "srvr": .string("s"),
                "port": .string("443"),
            ])
        #expect(request.itemClass == .internetPassword)
        #expect(request.limit == .atMost(7))
        #expect(request.returns == [.data, .persistentReference])
        #expect(request.authenticationUI == .fail)
        #expect(request.query[.server] == .string("s"))
        #expect(request.query[.port] == .number(443))
        #expect(request.query.entries.count == 2)
    }

    @Test("without a limit one item is asked for", .rule("queries.limit.default"))
    func defaultLimit() throws { #expect(try ItemRequest.made(.copyMatching, [:]).limit == .one) }

    @Test("A limit larger than any store is the largest there is")
    func hugeLimit() throws {
        #expect(try ItemRequest.made(.copyMatching, ["m_Limit": .number(.max)]).limit == .atMost(.max))
    }

    @Test(
        "128 keys are a query, 129 are not", .rule("queries.keys.count"),
        arguments: [(128, KeychainStatus.success), (129, .param)])
    func numberOfKeys(count: Int, expected: KeychainStatus) {
        let keys = Dictionary(uniqueKeysWithValues: (0..<count).map { ("filler\($0)", RawValue.number(1)) })
        #expect(status { () throws(Refusal) in _ = try ItemRequest.made(.copyMatching, keys) } == expected)
    }

    // MARK: - Names of constants

    private static let constants =
        AttributeTable.rows.filter { $0.id != .restricted }.flatMap { row in row.constants.map { ($0, row.code) } }
        + QueryKey.rows.filter { $0.constant.hasPrefix("kSec") }.map { ($0.constant, $0.code) }

    @Test(
        "the name of a constant as a key is refused with -50 and told its value", .rule("queries.keys.constant-name"),
        arguments: constants)
    func constantNames(constant: String, value: String) throws {
        let refused = refusal { () throws(Refusal) in
            _ = try ItemRequest.made(.copyMatching, [constant: .string("x")])
        }
        let found = try #require(refused)
        #expect(found.status == .param)
        #expect(found.rule == .constantName)
        #expect(found.subject == constant)
        #expect(found.remedy.contains("\"\(value)\""))
    }

    @Test("the name of a constant in the changes of an update is explained too", .rule("queries.keys.constant-name"))
    func constantNameAsChange() {
        let refused = refusal { () throws(Refusal) in
            _ = try ItemRequest.made(.update, [:], changes: ["kSecValueData": .data([1])])
        }
        #expect(refused?.status == .param && refused?.rule == .constantName)
    }

    @Test(
        "the name of a class as the value of kSecClass is refused and explained", .rule("queries.keys.constant-name"),
        arguments: ItemClass.allCases)
    func classNames(itemClass: ItemClass) {
        let refused = refusal { () throws(Refusal) in
            _ = try ItemRequest.made(.copyMatching, ["class": .string(itemClass.constant)])
        }
        #expect(refused?.status == .noSuchClass)
        #expect(refused?.remedy.contains(itemClass.constant) == true)
    }

    @Test("a class as a key is refused with -50", .rule("queries.keys.constant-name"), arguments: ItemClass.allCases)
    func classAsKey(itemClass: ItemClass) {
        let found = status { () throws(Refusal) in
            _ = try ItemRequest.made(.copyMatching, [itemClass.constant: .string("x")])
        }
        #expect(found == .param)
    }

    // MARK: - The changes of an update

    static let changes = [
        Case("acct", .string("a")), Case("v_Data", .data([1])), Case("musr", .data([1])), Case("agrp", .string("g")),
        Case("v_Data", .string("secret"), .param), Case("v_Data", .null, .param),
        Case("class", .string("genp"), .noSuchAttribute), Case("r_Data", .boolean(true), .noSuchAttribute),
        Case("m_Limit", .string("m_LimitOne"), .noSuchAttribute),
        Case("u_AuthUI", .string("u_AuthUIA"), .noSuchAttribute),
        Case("v_Ref", .other("SecKey"), .noSuchAttribute), Case("zzzz", .string("a"), .noSuchAttribute),
        Case("keyword", .string("a"), .noSuchAttribute), Case("acct", .boolean(true), .param),
        Case("UUID", .string("a"), .missingEntitlement),
    ]

    @Test("An update changes attributes and the value, nothing else", .rule("items.update.keys"), arguments: changes)
    func changeKeys(_ testCase: Case) {
        let found = status { () throws(Refusal) in
            _ = try ItemRequest.made(.update, [:], changes: [testCase.key: testCase.value])
        }
        #expect(found == testCase.status)
    }

    @Test("A value of 1 MiB is taken, one byte more is refused with an explanation", arguments: [0, 1])
    func valueSize(more: Int) {
        let value = RawValue.data(Array(repeating: 7, count: ItemLimits.valueBytes + more))
        for (query, changes) in [(["v_Data": value], [:]), ([:], ["v_Data": value])] {
            let refused = refusal { () throws(Refusal) in _ = try ItemRequest.made(.update, query, changes: changes) }
            #expect(refused?.status == (more == 0 ? nil : .param))
            #expect(refused?.rule == (more == 0 ? nil : .tooLarge))
        }
    }
}
