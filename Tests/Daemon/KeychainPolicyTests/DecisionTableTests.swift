import KeychainModel
import TestSupport
import Testing

@testable import KeychainPolicy

/// Rule access-groups.decision.table, cell by cell. Where its rows differ by platform, rule access-groups.list.none
/// says which is followed: a search without groups finds nothing (-25300), every write is refused (-34018). The row on
/// items in foreign groups is the store's: see `GroupBorderTests`.
@Suite(
    "The decision table of access groups", .rule("access-groups.decision.table"),
    .rule("access-groups.named.own", "access-groups.named.foreign", "access-groups.default.first"))
struct DecisionTableTests {
    typealias Operation = ItemRequest.Operation

    enum Outcome: Hashable, Sendable {
        case scope([String])
        case everything
        case refused(KeychainStatus, Refusal.Rule)
    }

    struct Cell: Sendable, CustomTestStringConvertible {
        let situation: String
        let groups: [String]
        var named: String?
        var changedTo: String?
        let operation: Operation
        let outcome: Outcome
        var testDescription: String { "\(operation.functionName), \(situation)" }
    }

    private static let own = ["TEAM.app", "TEAM.shared"]
    private static let token = AccessGroup.token
    private static let foreign = Outcome.refused(.missingEntitlement, .foreignGroup)
    private static let readOnly = Outcome.refused(.missingEntitlement, .readOnlyGroup)
    private static let none = Outcome.refused(.missingEntitlement, .noGroups)

    /// A row of the table: what add, copy matching, update and delete end in; nil where the table is empty.
    private static func row(
        _ situation: String, _ groups: [String], named: String? = nil, changedTo: String? = nil,
        _ outcomes: Outcome?...
    ) -> [Cell] {
        zip([Operation.add, .copyMatching, .update, .delete], outcomes).compactMap { operation, outcome in
            outcome.map {
                Cell(
                    situation: situation, groups: groups, named: named, changedTo: changedTo, operation: operation,
                    outcome: $0)
            }
        }
    }

    private static let withoutGroups =
        row("no groups at all", [], none, .refused(.itemNotFound, .noGroups), none, none)
        + row(
            "no groups at all, one named", [], named: "TEAM.app", none, .refused(.itemNotFound, .noGroups), none, none)

    private static let withGroups =
        row(
            "an explicit group of the list", own, named: "TEAM.shared", .scope(["TEAM.shared"]),
            .scope(["TEAM.shared"]), .scope(["TEAM.shared"]), .scope(["TEAM.shared"]))
        + row("an explicit group not of the list", own, named: "OTHER.app", foreign, foreign, foreign, foreign)
        + row(
            "no group given", own, .scope(["TEAM.app"]), .scope(own), .scope(own), .scope(own))
        + row(
            "no group given, the tokens' among them", [own[0], token, own[1]], .scope(["TEAM.app"]),
            .scope([own[0], token, own[1]]), .scope(own), .scope(own))
        + row("a change into a group not of the list", own, changedTo: "OTHER.app", nil, nil, foreign)
        + row("a change into a group of the list", own, changedTo: "TEAM.shared", nil, nil, .scope(own))
        + row("a change into the tokens' group", own + [token], changedTo: token, nil, nil, readOnly)

    private static let tokensAlone =
        row(
            "the tokens' group alone", [token], .refused(.missingEntitlement, .noOwnGroup), .scope([token]), readOnly,
            readOnly)
        + row("the tokens' group alone, named", [token], named: token, readOnly, .scope([token]), readOnly, readOnly)

    private static let everyGroup =
        row(
            "*: any explicit group", ["*"], named: "OTHER.app", .scope(["OTHER.app"]), .scope(["OTHER.app"]),
            .scope(["OTHER.app"]), .scope(["OTHER.app"]))
        + row(
            "*: no filter", ["*"], .refused(.missingEntitlement, .noOwnGroup), .everything, .everything, .everything)
        + row("*: a change into any group", ["*"], changedTo: "OTHER.app", nil, nil, .everything)
        + row("*: the tokens' group, named", ["*"], named: token, readOnly, .scope([token]), readOnly, readOnly)

    static let cells = withoutGroups + withGroups + tokensAlone + everyGroup

    @Test("Every cell of the table ends as it says", arguments: cells)
    func cell(_ cell: Cell) throws {
        var builder = ItemRequestBuilder(cell.operation)
        try builder.set("class", .string("genp"))
        if let named = cell.named { try builder.set("agrp", .string(named)) }
        if let group = cell.changedTo { try builder.change("agrp", .string(group)) }
        let caller = CallerIdentity(user: 1, process: 1, program: "program", groups: cell.groups)
        switch AccessPolicy.decide(try builder.build(), from: caller) {
        case .refused(let refusal): #expect(cell.outcome == .refused(refusal.status, refusal.rule))
        case .allowed(let request):
            switch request.scope {
            case .allGroups: #expect(cell.outcome == .everything)
            case .groups(let groups): #expect(cell.outcome == .scope(groups))
            }
            #expect((cell.operation == .add) == !request.targetGroup.isEmpty)
        }
    }

    // MARK: - What to do about it

    @Test(
        "who is refused a group learns what would give it to a program of his kind",
        .rule("access-groups.named.foreign"),
        arguments: [
            (Provenance.unsigned, "docs/guides/signing.md"), (.signed(team: "TEAM", identifier: "app"), "TEAM"),
            (.installed(file: "/etc/keychain/entitlements.d/a.plist"), "/etc/keychain/entitlements.d/a.plist"),
            (.sandboxed(.flatpak, application: "org.example.App"), "flatpak"), (.unit("a.service"), "unit"),
        ])
    func remedies(provenance: Provenance, word: String) throws {
        let caller = CallerIdentity(
            user: 1, process: 1, program: "program", provenance: provenance, groups: ["TEAM.app"])
        let remedy = remedy(of: "OTHER.app", for: caller)
        #expect(remedy.contains(word) && remedy.contains("TEAM.app"))
    }

    @Test(
        "a signed program learns that a group of its own team takes an entitlement, another team's nothing",
        .rule("access-groups.named.foreign"))
    func teams() {
        let caller = CallerIdentity(
            user: 1, process: 1, program: "program", provenance: .signed(team: "TEAM", identifier: "app"),
            groups: ["TEAM.app"])
        #expect(remedy(of: "TEAM.new", for: caller).contains("keychain-access-groups"))
        #expect(remedy(of: "TEAMX.new", for: caller).contains("not shared"))
    }

    /// The remedy for a caller that is refused a group; nothing when it is not.
    private func remedy(of group: String, for caller: CallerIdentity) -> String {
        do throws(Refusal) { try caller.check(group, toWrite: false) } catch { return error.remedy }
        return ""
    }
}
