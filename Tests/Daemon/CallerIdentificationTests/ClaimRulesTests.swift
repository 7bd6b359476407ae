import CallerIdentification
import CodeSignature
import KeychainModel
import KeychainPolicy
import LinuxSystem
import Sandboxes
import TestSupport
import Testing

@Suite("A claim opens its group for a program of the user's own, which nothing else speaks for")
struct ClaimRulesTests {
    private static let claimed = ["claimed:org.example.app", "program:/home/user/program"]
    private static let own = ["program:/home/user/program"]

    private func identify(
        _ rules: IdentityRules = IdentityRules(.user(CurrentProcess.user)),
        _ change: (inout StatedFacts) -> Void = { _ in }
    ) throws -> CallerIdentity {
        let facts = try StatedFacts { facts in
            facts.user = CurrentProcess.user
            facts.claimed = .name("org.example.app")
            change(&facts)
        }
        return try rules.identify(facts)
    }

    @Test("A claim comes first, and the program keeps the group of its path")
    func claims() throws {
        let caller = try identify()
        #expect(caller.provenance == .claimed("org.example.app") && caller.groups == Self.claimed)
        #expect(caller.program == "/home/user/program" && caller.title == "/home/user/program (unsigned)")
        #expect(!caller.isAnchored && !caller.mayInspectAllGroups)
        #expect(try identify { $0.path = "/home/user/a/b" }.groups.first == "claimed:org.example.app")
    }

    @Test(
        "The file lies below the account's own folder, and not where its name begins alike",
        arguments: [
            "/usr/local/bin/program", "/home/user2/program", "/home/user", "/home/users/x", "/home/User/program",
            "/tmp/program", "(unreachable)/home/user/program",
        ])
    func places(path: String) throws {
        let caller = try identify { $0.path = path }
        #expect(caller.groups == ["program:" + path] && Self.isMisclaimed(caller))
    }

    @Test("What is malformed, another's, seen otherwise, or without a home opens nothing and says why")
    func obstacles() throws {
        let changes: [(inout StatedFacts) -> Void] = [
            { $0.claimed = .malformed("why") }, { $0.seesCommonFiles = false }, { $0.ownFolder = nil },
        ]
        for change in changes {
            let caller = try identify(IdentityRules(.user(CurrentProcess.user)), change)
            #expect(caller.groups == Self.own && Self.isMisclaimed(caller))
        }
        let other = CurrentProcess.user + 1
        let caller = try identify(IdentityRules(.user(other))) { $0.user = other }
        #expect(caller.groups == Self.own && Self.isMisclaimed(caller))
    }

    @Test("Who is signed, installed, in a sandbox or a unit has the groups of that alone")
    func others() throws {
        let signature = ProgramSignature(team: "TEAM", identifier: "app", granted: GrantedGroups(["TEAM.app"]))
        #expect(try identify { $0.signed = .success(signature) }.groups == ["TEAM.app"])
        #expect(
            try identify { $0.application = .success(SandboxedApplication(.flatpak, "org.example.App")) }.groups
                == ["flatpak:org.example.App"])
        #expect(try identify { $0.service = "a.service" }.groups == ["unit:a.service"])
        var rules = IdentityRules(.user(CurrentProcess.user), installer: CurrentProcess.user)
        rules.installed.programs["/home/user/program"] = .init(file: "/e.plist", granted: GrantedGroups(["INSTALLED"]))
        #expect(try identify(rules).groups == ["INSTALLED"])
    }

    @Test("An anchored program has the group of its path alone, and so has every program of the system's keychain")
    func anchored() throws {
        var rules = IdentityRules(.user(CurrentProcess.user), anchorGroup: Files.marker, installer: CurrentProcess.user)
        let file = try Files.make(group: Files.mayGiveAway ? Files.marker : nil, mode: 0o2755)
        rules.anchorGroup = file.group
        let caller = try identify(rules) {
            $0.file = file
            $0.group = file.group
            $0.real = file.group + 1
        }
        #expect(caller.isAnchored && caller.groups == Self.own && Self.isMisclaimed(caller))
        guard CurrentProcess.user == 0 else { return }
        #expect(try identify(IdentityRules(.system)).groups == Self.own)
    }

    private static func isMisclaimed(_ caller: CallerIdentity) -> Bool {
        if case .misclaimed(let why) = caller.provenance { !why.isEmpty } else { false }
    }
}
