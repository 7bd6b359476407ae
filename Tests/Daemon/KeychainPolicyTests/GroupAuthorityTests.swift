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

    @Test(
        "S-61: that programs were removed is said by root and the keychain's own command alone",
        arguments: [(UInt32(0), false, true), (1000, true, true), (1000, false, false)])
    func uninstallers(user: UInt32, inspects: Bool, may: Bool) {
        let caller = CallerIdentity(
            user: user, process: 1, program: "program", groups: ["*"], mayInspectAllGroups: inspects)
        let refusal = failure { () throws(Refusal) in try AccessPolicy.requireUninstaller(caller) }
        #expect((refusal == nil) == may)
    }
}
