import KeychainModel
import TestSupport
import Testing

@testable import KeychainPolicy

@Suite(
    "Who may touch what", .rule("access-groups.decision.table"),
    .rule("access-groups.named.own", "access-groups.named.foreign", "access-groups.default.first"))
struct AccessPolicyTests {
    typealias Operation = ItemRequest.Operation

    struct Case: Sendable, CustomTestStringConvertible {
        let situation: String
        let groups: [String]
        let operation: Operation
        var named: String?
        var changedTo: String?
        let outcome: Outcome
        var testDescription: String { "\(operation.functionName), \(situation)" }
    }

    enum Outcome: Sendable {
        case status(KeychainStatus)
        case scope(AuthorizedRequest.Scope)
    }

    private static let own = ["TEAM.app", "TEAM.shared"]
    private static let everyone: [Operation] = [.add, .copyMatching, .update, .delete]
    private static let finders: [Operation] = [.copyMatching, .update, .delete]
    private static let writers: [Operation] = [.add, .update, .delete]

    private static func cases(
        _ situation: String, _ operations: [Operation], groups: [String], named: String? = nil,
        changedTo: String? = nil,
        _ outcome: Outcome
    ) -> [Case] {
        operations.map {
            Case(
                situation: situation, groups: groups, operation: $0, named: named, changedTo: changedTo,
                outcome: outcome)
        }
    }

    static let table =
        cases("no groups", writers, groups: [], .status(.missingEntitlement))
        + cases("no groups", [.copyMatching], groups: [], .status(.itemNotFound))
        + cases("no groups, one named", writers, groups: [], named: "TEAM.app", .status(.missingEntitlement))
        + cases(
            "a group of the caller's", everyone, groups: own, named: "TEAM.shared",
            .scope(.groups(["TEAM.shared"])))
        + cases(
            "a group of another team", everyone, groups: own, named: "OTHER.app", .status(.missingEntitlement))
        + cases("a group that differs in case", everyone, groups: own, named: "team.app", .status(.missingEntitlement))
        + cases("the empty group", everyone, groups: own, named: "", .status(.missingEntitlement))
        + cases("every group, asked for by name", everyone, groups: own, named: "*", .status(.missingEntitlement))
        + cases("none named", [.add], groups: own, .scope(.groups(["TEAM.app"])))
        + cases("none named", finders, groups: own, .scope(.groups(own)))
        + cases(
            "a change into a group of the caller's", [.update], groups: own, changedTo: "TEAM.shared",
            .scope(.groups(own)))
        + cases(
            "a change into another's group", [.update], groups: own, changedTo: "OTHER.app",
            .status(.missingEntitlement))
        + cases(
            "a change into the tokens' group", [.update], groups: own + [token], changedTo: token,
            .status(.missingEntitlement))

    private static let token = AccessGroup.token

    static let tokens =
        cases("the tokens' group alone", writers, groups: [token], .status(.missingEntitlement))
        + cases("the tokens' group alone", [.copyMatching], groups: [token], .scope(.groups([token])))
        + cases("the tokens' group named", writers, groups: own + [token], named: token, .status(.missingEntitlement))
        + cases(
            "the tokens' group named", [.copyMatching], groups: own + [token], named: token, .scope(.groups([token])))
        + cases("the tokens' group among others", [.update, .delete], groups: own + [token], .scope(.groups(own)))
        + cases(
            "the tokens' group among others", [.copyMatching], groups: own + [token], .scope(.groups(own + [token])))
        + cases("the tokens' group first", [.add], groups: [token] + own, .scope(.groups(["TEAM.app"])))

    static let star =
        cases("every group granted", finders, groups: ["*"], .scope(.allGroups))
        + cases(
            "every group granted, one named", everyone, groups: ["*"], named: "OTHER.app",
            .scope(.groups(["OTHER.app"])))
        + cases("every group granted, none of its own", [.add], groups: ["*"], .status(.missingEntitlement))
        + cases("every group granted beside its own", [.add], groups: ["*"] + own, .scope(.groups(["TEAM.app"])))
        + cases("every group granted", [.update], groups: ["*"], changedTo: "OTHER.app", .scope(.allGroups))
        + cases(
            "every group granted, the tokens' named", writers, groups: ["*"], named: token, .status(.missingEntitlement)
        )

    private static let bridge = [AccessGroup.secretService, "program:/usr/lib/keychain-secrets"]
    private static let flatpak = "secret-service:flatpak:org.example.App"

    static let sandboxes =
        cases(
            "the group of an application in a sandbox", everyone, groups: bridge, named: flatpak,
            .scope(.groups([flatpak])))
        + cases(
            "the group of a Snap", everyone, groups: bridge, named: "secret-service:snap:app",
            .scope(.groups(["secret-service:snap:app"])))
        + cases("none named, by the bridge", finders, groups: bridge, .scope(.groups(bridge)))
        + cases("none named, by the bridge", [.add], groups: bridge, .scope(.groups([AccessGroup.secretService])))
        + [
            "secret-service:", "secret-service:*", "secret-service:flatpak:", "secret-service:flatpak:a:b",
            "secret-service:unit:a", "secret-service:program:/usr/bin/x", "flatpak:org.example.App", "snap:app", token,
            "com.apple.x", "program:/usr/bin/x", "claimed:secret-service", "unit:a.service", "*", "",
        ].flatMap {
            cases("another group, by the bridge", writers, groups: bridge, named: $0, .status(.missingEntitlement))
        }
        + [
            ["program:/usr/bin/x"], ["flatpak:org.example.App"], ["claimed:secret-service", "program:/x"],
            ["secret-service:flatpak"], ["Secret-Service"], ["secret-service\u{0}"], [],
        ].flatMap {
            cases(
                "an application's secrets, by another program", writers, groups: $0, named: flatpak,
                .status(.missingEntitlement))
        }

    @Test(
        "The bridge to the desktop alone has the secrets of applications in sandboxes, where it names them",
        arguments: sandboxes)
    func decidesOnSandboxes(_ testCase: Case) throws { try check(testCase) }

    @Test("A caller's groups decide, whatever it asks", arguments: table) func decidesByGroups(_ testCase: Case) throws
    {
        try check(testCase)
    }

    @Test("What tokens offer can be read and not changed", arguments: tokens) func decidesOnTokens(_ testCase: Case)
        throws
    {
        try check(testCase)
    }

    @Test("Every group is open to who was granted every group", arguments: star) func decidesOnEveryGroup(
        _ testCase: Case
    ) throws {
        try check(testCase)
    }

    private func check(_ testCase: Case) throws {
        var query: [String: RawValue] = ["acct": .string("a")]
        query["agrp"] = testCase.named.map { .string($0) }
        let changes = testCase.changedTo.map { ["agrp": RawValue.string($0)] } ?? [:]
        let outcome = try decide(testCase.operation, query, changes: changes, groups: testCase.groups)
        switch (testCase.outcome, outcome) {
        case (.status(let expected), .failure(let refusal)): #expect(refusal.status == expected)
        case (.scope(let expected), .success(let request)): #expect(request.scope == expected)
        default: Issue.record("\(outcome)")
        }
    }

    // MARK: - Groups

    @Test("the refusal of a foreign group names it, and the groups there are", .rule("access-groups.named.foreign"))
    func explanation() throws {
        let refused = try refusal(.add, ["agrp": .string("OTHER.app")], groups: Self.own)
        #expect(refused?.rule == .foreignGroup && refused?.subject == "OTHER.app")
        #expect(refused?.problem.contains("OTHER.app") == true)
        #expect(Self.own.allSatisfy { refused?.remedy.contains($0) == true })
    }

    @Test(
        "an item without a group goes into the first of the list, with a group into that one",
        .rule("access-groups.default.first"))
    func targets() throws {
        #expect(try decide(.add, [:], groups: Self.own).get().targetGroup == "TEAM.app")
        #expect(try decide(.add, ["agrp": .string("TEAM.shared")], groups: Self.own).get().targetGroup == "TEAM.shared")
    }

    @Test("an item can have an access group and be synchronised", .rule("access-groups.named.synchronizable"))
    func groupAndSynchronizable() throws {
        let item: [String: RawValue] = ["agrp": .string("TEAM.shared"), "sync": .boolean(true)]
        let request = try decide(.add, item, groups: Self.own).get()
        #expect(request.targetGroup == "TEAM.shared")
        #expect(request.request.query[.synchronizable] == .number(1))
    }

    @Test(
        "a program without entitlements has the group of its executable, and no other",
        .rule("access-groups.unsigned.path"))
    func withoutEntitlements() throws {
        let groups = [CallerIdentity.ownGroup(ofExecutable: "/usr/bin/program")]
        #expect(try decide(.add, [:], groups: groups).get().targetGroup == groups[0])
        #expect(try refusal(.add, ["agrp": .string("TEAM.app")], groups: groups)?.status == .missingEntitlement)
        #expect(groups != [CallerIdentity.ownGroup(ofExecutable: "/usr/bin/program2")])
    }

    // MARK: - Attributes nobody may name

    @Test(
        "An attribute that no program may name is refused with -34018", .rule("items.class.protected-names"),
        arguments: Self.everyone)
    func sharingGroup(operation: Operation) throws {
        #expect(try refusal(operation, ["ggrp": .string("family")], groups: Self.own)?.status == .missingEntitlement)
    }

    @Test("The user partition can be named when it is the one there is, and another one not")
    func userPartition() throws {
        #expect(try refusal(.copyMatching, ["musr": .data([])], groups: Self.own) == nil)
        let refused = try refusal(.copyMatching, ["musr": .data([1])], groups: Self.own)
        #expect(refused?.status == .missingEntitlement && refused?.rule == .restrictedAttribute)
    }

    @Test(
        "An update that would change the user partition is let through, for the change is ignored",
        .rule("items.update.user-partition"))
    func changedUserPartition() throws {
        #expect(
            try decide(.update, [:], changes: ["musr": .data([1])], groups: Self.own).get().scope == .groups(Self.own))
    }

    // MARK: - Inspection

    @Test(
        "Only who may inspect sees all groups, to look and never at values",
        arguments: [
            (Operation.copyMatching, [:], true, nil), (.copyMatching, ["r_Attributes": .boolean(true)], true, nil),
            (.copyMatching, ["r_Attributes": .boolean(true)], false, .missingEntitlement),
            (.copyMatching, ["r_Data": .boolean(true)], true, .missingEntitlement),
            (.delete, [:], true, .missingEntitlement), (.update, [:], true, .missingEntitlement),
            (.add, [:], true, .missingEntitlement),
        ] as [(Operation, [String: RawValue], Bool, KeychainStatus?)])
    func inspection(operation: Operation, query: [String: RawValue], may: Bool, expected: KeychainStatus?) throws {
        let outcome = try decide(operation, query, groups: Self.own, mayInspect: may, inspects: true)
        switch outcome {
        case .failure(let refusal): #expect(refusal.status == expected)
        case .success(let request):
            #expect(expected == nil && request.scope == .allGroups && !request.mayOpenValues)
        }
    }

    @Test("Who may inspect but does not ask for it is bound to its groups like everybody")
    func inspectorWithoutInspection() throws {
        let request = try decide(.copyMatching, ["r_Data": .boolean(true)], groups: Self.own, mayInspect: true).get()
        #expect(request.scope == .groups(Self.own) && request.mayOpenValues)
    }

    @Test("The rules on the request itself come first: no group makes a malformed request a good one")
    func rulesFirst() throws {
        #expect(try refusal(.add, ["m_Limit": .number(1)], groups: Self.own)?.status == .param)
        #expect(try refusal(.add, ["m_Limit": .number(1)], groups: [])?.status == .param)
    }

    // MARK: - Asking

    private func decide(
        _ operation: Operation, _ query: [String: RawValue], changes: [String: RawValue] = [:], groups: [String],
        mayInspect: Bool = false, inspects: Bool = false
    ) throws -> Result<AuthorizedRequest, Refusal> {
        let caller = CallerIdentity(
            user: 1000, process: 1, program: "program", groups: groups, mayInspectAllGroups: mayInspect)
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        for (key, value) in query { try builder.set(key, value) }
        for (key, value) in changes { try builder.change(key, value) }
        if inspects { builder.inspectAllGroups() }
        let request = try builder.build()
        do throws(Refusal) { return .success(try AccessPolicy.authorize(request, from: caller)) } catch {
            return .failure(error)
        }
    }

    private func refusal(_ operation: Operation, _ query: [String: RawValue], groups: [String]) throws -> Refusal? {
        if case .failure(let refusal) = try decide(operation, query, groups: groups) { refusal } else { nil }
    }
}
