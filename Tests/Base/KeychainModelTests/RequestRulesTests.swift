import TestSupport
import Testing

@testable import KeychainModel

@Suite("What a request may combine", .rule("queries.dictionary.rules"))
struct RequestRulesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let operation: ItemRequest.Operation
        let query: [String: RawValue]
        var changes: [String: RawValue] = [:]
        let status: KeychainStatus
        var testDescription: String { "\(operation.functionName) \(query) \(changes)" }

        /// A generic password unless the query says otherwise.
        init(
            _ operation: ItemRequest.Operation, _ query: [String: RawValue], changes: [String: RawValue] = [:],
            _ status: KeychainStatus = .success
        ) {
            self.operation = operation
            self.query = query.merging(["class": .string("genp")]) { own, _ in own }
            (self.changes, self.status) = (changes, status)
        }
    }

    private static let yes = RawValue.boolean(true)
    private static let ak = RawValue.string("ak")
    private static let control = RawValue.accessControl(AccessControl(.whenUnlocked, flags: nil))
    private static let constrained = RawValue.accessControl(AccessControl(.whenUnlocked, flags: 1))
    private static let unknown = RawValue.accessControl(AccessControl(.whenUnlocked, flags: 1 << 20))
    private static let skip = RawValue.string("u_AuthUIS")
    private static let reference = RawValue.data(Array("genp".utf8) + Array(repeating: 1, count: 16))
    private static let all = RawValue.string("m_LimitAll")

    static let add = [
        Case(.add, [:]), Case(.add, ["v_Data": .data([])]), Case(.add, ["acct": .string("a"), "svce": .string("s")]),
        Case(.add, ["m_Limit": all], .param), Case(.add, ["m_NobodyKnows": .null], .param),
        Case(.add, ["u_ItemList": .other("NSArray")], .param), Case(.add, ["v_PersistentRef": reference], .param),
        Case(.add, ["v_Data": .string("x")], .param), Case(.add, ["v_Ref": .other("NSObject")], .param),
        Case(.add, ["pdmn": .string("zz")], .param), Case(.add, ["pdmn": .number(1)], .param),
        Case(.add, ["pdmn": ak]), Case(.add, ["accc": control]), Case(.add, ["accc": .data([1])], .param),
        Case(.add, ["accc": constrained]), Case(.add, ["accc": constrained, "sync": yes], .param),
        Case(.add, ["accc": unknown], .param), Case(.add, ["accc": control, "sync": yes]),
        Case(.add, ["u_OpPrompt": .string("why")]), Case(.add, ["u_OpPrompt": .number(1)], .param),
        Case(.add, ["u_AuthCtx": .other("NSObject")], .param), Case(.add, ["u_AuthCtx": .null], .param),
        Case(.add, ["class": .string("idnt")], .param), Case(.add, ["u_AuthUI": skip], .param),
        Case(.add, ["u_AuthUI": .string("u_AuthUIF")]), Case(.add, ["sync": yes]),
        Case(.add, ["sync": .string("syna")]),
        Case(.add, ["sync": .string("1")]), Case(.add, ["sync": .string("sometimes")], .param),
        Case(.add, ["sync": yes, "pdmn": .string("aku")]), Case(.add, ["srvr": .string("s")], .noSuchAttribute),
        Case(.add, ["r_Data": yes, "r_Attributes": yes]), Case(.add, ["ggrp": .string("")]),
    ]

    static let copyMatching = [
        Case(.copyMatching, [:]), Case(.copyMatching, ["m_Limit": all, "r_Data": yes]),
        Case(.copyMatching, ["v_PersistentRef": reference]),
        Case(.copyMatching, ["v_PersistentRef": reference, "v_Data": .data([1])]),
        Case(.copyMatching, ["v_PersistentRef": reference, "acct": .string("a")], .param),
        Case(.copyMatching, ["v_PersistentRef": reference, "class": .string("inet")], .param),
        Case(.copyMatching, ["v_PersistentRef": .data([1, 2, 3])], .param),
        Case(.copyMatching, ["v_Data": .data([1])]), Case(.copyMatching, ["pdmn": ak, "accc": control]),
        Case(.copyMatching, ["m_CaseInsensitive": yes, "m_SubjectContains": .string("x")]),
        Case(.copyMatching, ["m_Issuers": .other("NSArray")], .unimplemented),
        Case(.copyMatching, ["m_Policy": .other("SecPolicy")], .unimplemented),
        Case(.copyMatching, ["m_HostOrSubdomainOfHost": .string("h")], .unimplemented),
        Case(.copyMatching, ["m_HostOrSubdomainOfHost": .string("h"), "class": .string("inet")]),
        Case(.copyMatching, ["u_AuthUI": skip]), Case(.copyMatching, ["r_Ref": yes]),
        Case(.copyMatching, ["r_Ref": yes, "class": .string("keys")]),
        Case(.copyMatching, ["u_ItemList": .other("NSArray")]),
        Case(.copyMatching, ["kcls": .string("1")], .noSuchAttribute),
        Case(.copyMatching, ["kcls": .string("1"), "class": .string("keys")]),
        Case(.copyMatching, ["kcls": .string("1"), "subj": .data([]), "class": .string("idnt")]),
        Case(.copyMatching, ["svce": .string("s"), "class": .string("idnt")], .noSuchAttribute),
    ]

    static let update = [
        Case(.update, [:], changes: ["labl": .string("l")]), Case(.update, ["v_PersistentRef": reference]),
        Case(.update, ["m_Limit": all], .param), Case(.update, ["r_Data": yes], .param),
        Case(.update, ["r_Data": .boolean(false)]), Case(.update, ["u_AuthUI": skip], .param),
        Case(.update, ["v_PersistentRef": reference, "acct": .string("a")], .param),
        Case(.update, [:], changes: ["srvr": .string("s")], .noSuchAttribute),
        Case(.update, [:], changes: ["pdmn": .string("ck")]),
        Case(.update, [:], changes: ["pdmn": .string("f")], .param),
        Case(.update, [:], changes: ["ggrp": .string("g")], .param), Case(.update, [:], changes: ["musr": .data([1])]),
        Case(.update, [:], changes: ["sync": yes, "agrp": .string("g")]),
    ]

    static let delete = [
        Case(.delete, [:]), Case(.delete, ["m_Limit": all]), Case(.delete, ["m_Limit": .number(1)], .param),
        Case(.delete, ["r_Data": yes]), Case(.delete, ["u_AuthUI": skip], .param),
        Case(.delete, ["v_PersistentRef": reference]),
        Case(.delete, ["v_PersistentRef": reference, "acct": .string("a")], .param),
    ]

    @Test("SecItemAdd", .rule("items.add.rules"), arguments: add) func rulesOfAdd(_ testCase: Case) { check(testCase) }
    @Test("SecItemCopyMatching", .rule("queries.dictionary.rules"), arguments: copyMatching) func rulesOfCopyMatching(
        _ testCase: Case
    ) {
        check(testCase)
    }
    @Test("SecItemUpdate", .rule("items.update.query"), arguments: update) func rulesOfUpdate(_ testCase: Case) {
        check(testCase)
    }
    @Test("SecItemDelete", .rule("items.delete.limit"), arguments: delete) func rulesOfDelete(_ testCase: Case) {
        check(testCase)
    }

    private func check(_ testCase: Case) {
        let found = status { () throws(Refusal) in
            try ItemRequest.made(testCase.operation, testCase.query, changes: testCase.changes).check()
        }
        #expect(found == testCase.status)
    }

    @Test(
        "an item with both kSecAttrAccessible and kSecAttrAccessControl is refused with -50, even if they agree",
        .rule("access-control.item.both"),
        arguments: ["ak", "ck"])
    func twoProtections(code: String) {
        let both: [String: RawValue] = ["pdmn": .string(code), "accc": Self.control]
        check(Case(.add, both, .param))
        check(Case(.update, [:], changes: both, .param))
    }

    @Test(
        "A query without a class is refused, unless a persistent reference names it",
        arguments: [KeychainStatus.param, .success])
    func withoutClass(expected: KeychainStatus) {
        let query = expected == .success ? ["v_PersistentRef": Self.reference] : ["acct": .string("a")]
        let found = status { () throws(Refusal) in try ItemRequest.made(.copyMatching, query).check() }
        #expect(found == expected)
    }

    @Test("A reference stands alone, but for the group of what an application in a sandbox has given to the bridge")
    func groupOfReference() {
        for operation in [ItemRequest.Operation.copyMatching, .update, .delete] {
            for group in ["secret-service:flatpak:org.example.App", "secret-service:snap:app"] {
                check(Case(operation, ["v_PersistentRef": Self.reference, "agrp": .string(group)]))
            }
            for group in ["secret-service", "program:/usr/bin/x", "secret-service:unit:x", ""] {
                check(Case(operation, ["v_PersistentRef": Self.reference, "agrp": .string(group)], .param))
            }
        }
    }

    @Test("Every refusal says what it is about and what to do")
    func explanations() {
        var refusals = 0
        for testCase in Self.add + Self.copyMatching + Self.update + Self.delete where testCase.status != .success {
            let refused = refusal { () throws(Refusal) in
                try ItemRequest.made(testCase.operation, testCase.query, changes: testCase.changes).check()
            }
            refusals += 1
            #expect(refused?.subject.isEmpty == false && refused?.problem.hasSuffix(".") == true)
            #expect(refused?.remedy.hasSuffix(".") == true)
        }
        #expect(refusals > 25)
    }
}

@Suite("A client is never trusted: lists that no dictionary could have made")
struct HostileRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let entries: [(AttributeID, AttributeValue)]
        var isChange = false
        var status = KeychainStatus.param
    }

    private static let large = [UInt8](repeating: 1, count: ItemLimits.attributeBytes + 1)

    static let cases = [
        Case(testDescription: "an attribute twice", entries: [(.account, .string("a")), (.account, .string("b"))]),
        Case(testDescription: "the value twice", entries: [(.valueData, .data([1])), (.valueData, .data([2]))]),
        Case(testDescription: "number 0", entries: [(AttributeID(rawValue: 0), .data([]))]),
        Case(testDescription: "the number of restricted attributes", entries: [(.restricted, .data([]))]),
        Case(testDescription: "number 64", entries: [(AttributeID(rawValue: 64), .data([]))]),
        Case(testDescription: "number 64", entries: [(AttributeID(rawValue: 64), .data([]))]),
        Case(testDescription: "number 0xF000", entries: [(AttributeID(rawValue: 0xF000), .data([]))]),
        Case(testDescription: "number 0xFFFF", entries: [(AttributeID(rawValue: 0xFFFF), .data([]))]),
        Case(testDescription: "a number as access group", entries: [(.accessGroup, .number(1))]),
        Case(testDescription: "data as access group", entries: [(.accessGroup, .data([0x67]))]),
        Case(testDescription: "a date as account", entries: [(.account, .date(0))]),
        Case(testDescription: "text as creation date", entries: [(.creationDate, .string("now"))]),
        Case(testDescription: "text as value", entries: [(.valueData, .string("secret"))]),
        Case(testDescription: "a number as persistent reference", entries: [(.persistentReference, .number(1))]),
        Case(testDescription: "data as host", entries: [(.hostOrSubdomain, .data([1]))]),
        Case(
            testDescription: "a value over 1 MiB",
            entries: [(.valueData, .data(Array(repeating: 1, count: ItemLimits.valueBytes + 1)))]),
        Case(testDescription: "an attribute over 64 KiB", entries: [(.account, .data(large))]),
        Case(
            testDescription: "a change of the persistent reference", entries: [(.persistentReference, .data([1]))],
            isChange: true),
        Case(testDescription: "a change of the host", entries: [(.hostOrSubdomain, .string("h"))], isChange: true),
        Case(
            testDescription: "a change twice", entries: [(.label, .string("a")), (.label, .string("b"))], isChange: true
        ),
        Case(
            testDescription: "an attribute of another class", entries: [(.server, .string("s"))],
            status: .noSuchAttribute),
    ]

    @Test("A list that breaks the rules on entries is refused", arguments: cases)
    func refused(_ testCase: Case) throws {
        let list = try AttributeList(testCase.entries)
        let request: ItemRequest =
            testCase.isChange ? .handmade(.update, changes: list) : .handmade(.copyMatching, query: list)
        #expect(status { () throws(Refusal) in try request.check() } == testCase.status)
    }

    @Test("An access group that is not UTF-8 is refused, not taken for none")
    func brokenText() throws {
        let list = try AttributeList(bytes: [3, 0, 1, 0, 2, 0, 0, 0, 0xFF, 0xFE])
        #expect(list.entry(.accessGroup)?.kind == .string)
        for operation in [ItemRequest.Operation.add, .copyMatching, .update, .delete] {
            let request = ItemRequest.handmade(operation, query: list)
            #expect(status { () throws(Refusal) in try request.check() } == .param)
        }
    }

    @Test("What is exactly at a limit is let through")
    func atTheLimits() throws {
        let list = try AttributeList([
            (.account, .data(Array(repeating: 1, count: ItemLimits.attributeBytes))),
            (.valueData, .data(Array(repeating: 1, count: ItemLimits.valueBytes))),
        ])
        #expect(status { () throws(Refusal) in try ItemRequest.handmade(.add, query: list).check() } == .success)
    }
}
