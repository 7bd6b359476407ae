import KeychainModel
import KeychainPolicy
import TestSupport
import Testing

@Suite("Who may decide on a group's life")
struct GroupAuthorityTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var groups: [String] = []
        var user: UInt32 = 1000
        var inspects = false
        var passcodeIsSet = true
        var daemonUser: UInt32 = 1000
        var isHandedOver = false
        /// Nil where it is refused.
        let expected: GroupAuthority?
    }

    static let cases = [
        Case(testDescription: "a program of both groups", groups: ["OLD.a", "NEW.b"], expected: .granted),
        Case(testDescription: "a program of the old group alone", groups: ["OLD.a"], expected: nil),
        Case(testDescription: "a program of the new group alone", groups: ["NEW.b"], expected: nil),
        Case(testDescription: "a program of neither", groups: ["X"], expected: nil),
        Case(testDescription: "a program without groups", expected: nil),
        Case(testDescription: "a group that differs in case", groups: ["old.a", "NEW.b"], expected: nil),
        Case(testDescription: "root", user: 0, expected: .granted),
        Case(testDescription: "the user, who has a passcode", inspects: true, expected: .passcode),
        Case(
            testDescription: "the user without a passcode, whose own the daemon is", inspects: true,
            passcodeIsSet: false, expected: .granted),
        Case(
            testDescription: "the user without a passcode, and a daemon of another user", inspects: true,
            passcodeIsSet: false, daemonUser: 990, expected: nil),
        Case(
            testDescription: "the new team, handed over to", groups: ["NEW.b"], isHandedOver: true, expected: .granted),
        Case(testDescription: "another team with the statement", groups: ["X"], isHandedOver: true, expected: nil),
        Case(testDescription: "the old team with the statement", groups: ["OLD.a"], isHandedOver: true, expected: nil),
    ]

    private static func authority(
        _ testCase: Case, _ from: String = "OLD.a", _ to: String = "NEW.b"
    ) throws(Refusal) -> GroupAuthority {
        let caller = CallerIdentity(
            user: testCase.user, process: 1, program: "program", groups: testCase.groups,
            mayInspectAllGroups: testCase.inspects)
        let situation = GroupSituation(
            passcodeIsSet: testCase.passcodeIsSet, daemonUser: testCase.daemonUser,
            isHandedOver: testCase.isHandedOver)
        return try AccessPolicy.authority(overItemsOf: from, goingTo: to, for: caller, in: situation)
    }

    @Test("Items go from group to group by who has both, hands over, is root or speaks for the user", arguments: cases)
    func decides(_ testCase: Case) {
        let outcome = Result { () throws(Refusal) in try Self.authority(testCase) }
        switch outcome {
        case .success(let authority): #expect(authority == testCase.expected)
        case .failure(let refusal):
            #expect(testCase.expected == nil)
            #expect(refusal.status == .missingEntitlement && refusal.rule == .foreignGroups)
        }
    }

    @Test(
        "Nobody moves items to or from the tokens' group, every group or none", arguments: ["com.apple.token", "*", ""])
    func noGroups(group: String) {
        let root = Case(testDescription: "", groups: ["*"], user: 0, expected: nil)
        for (from, to) in [(group, "NEW.b"), ("OLD.a", group)] {
            let refusal = failure { () throws(Refusal) in try Self.authority(root, from, to) }
            #expect(refusal?.rule == .readOnlyGroup)
        }
    }

    @Test("Items go to a group that programs can claim, and to no other with its prefix")
    func claims() throws {
        let root = Case(testDescription: "", groups: ["*"], user: 0, expected: nil)
        #expect(try Self.authority(root, "program:/home/user/app", "claimed:org.example.app") == .granted)
        for group in ["claimed:", "claimed:a b", "claimed:.a", "claimed:\u{212A}elvin"] {
            let refusal = failure { () throws(Refusal) in try Self.authority(root, "OLD.a", group) }
            #expect(refusal?.status == .param && refusal?.rule == .foreignGroups)
            // Items that have come there in any way can be fetched.
            #expect(try Self.authority(root, group, "NEW.b") == .granted)
        }
    }

    @Test("Items go to the secrets of an application in a sandbox, and to no other group with that prefix")
    func sandboxes() throws {
        let root = Case(testDescription: "", groups: ["*"], user: 0, expected: nil)
        let group = "secret-service:flatpak:org.example.App"
        #expect(try Self.authority(root, AccessGroup.secretService, group) == .granted)
        let bridge = Case(testDescription: "", groups: [AccessGroup.secretService], expected: nil)
        #expect(try Self.authority(bridge, group, "secret-service:snap:app") == .granted)
        for other in ["secret-service:", "secret-service:x", "secret-service:flatpak:a b"] {
            let refusal = failure { () throws(Refusal) in try Self.authority(root, "OLD.a", other) }
            #expect(refusal?.status == .param && refusal?.rule == .foreignGroups)
        }
        for groups in [["flatpak:org.example.App"], ["program:/x"]] {
            let program = Case(testDescription: "", groups: groups, expected: nil)
            for (from, to) in [(group, groups[0]), (groups[0], group)] {
                let refusal = failure { () throws(Refusal) in try Self.authority(program, from, to) }
                #expect(refusal?.status == .missingEntitlement)
            }
        }
    }

    @Test("A group that programs claim has no policy and no other name")
    func lifeOfClaims() throws {
        let refusal = failure { () throws(Refusal) in try AccessPolicy.checkLife(of: "claimed:org.example.app") }
        #expect(refusal?.status == .param)
        for group in ["program:/home/user/app", "claimedX", "TEAM.claimed:x"] { try AccessPolicy.checkLife(of: group) }
    }

    @Test("The keychain's own command carries items of claimed groups from keychain to keychain, as those of paths")
    func worksForClaims() throws {
        let caller = CallerIdentity(
            user: 1000, process: 1, program: "security", groups: [], mayInspectAllGroups: true)
        let situation = GroupSituation(passcodeIsSet: false, daemonUser: 1000)
        for group in ["claimed:org.example.app", "program:/home/user/app"] {
            let authority = try AccessPolicy.authority(
                toWorkFor: group, onlyAdding: false, for: caller, in: situation, .none)
            #expect(authority == .granted)
        }
        let refusal = failure { () throws(Refusal) in
            try AccessPolicy.authority(toWorkFor: "unit:a", onlyAdding: true, for: caller, in: situation, .none)
        }
        #expect(refusal?.rule == .foreignGroups)
    }

    @Test(
        "that programs were removed is said by root and the keychain's own command alone",
        .rule("access-groups.removal.authority"),
        arguments: [(UInt32(0), false, true), (1000, true, true), (1000, false, false)])
    func uninstallers(user: UInt32, inspects: Bool, may: Bool) {
        let caller = CallerIdentity(
            user: user, process: 1, program: "program", groups: ["*"], mayInspectAllGroups: inspects)
        let refusal = failure { () throws(Refusal) in try AccessPolicy.requireUninstaller(caller) }
        #expect((refusal == nil) == may)
    }
}
