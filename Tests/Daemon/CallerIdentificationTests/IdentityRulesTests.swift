import CallerIdentification
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import Sandboxes
import TestSupport
import Testing

@Suite("Who a caller is follows from what is known about it, and from nothing else")
struct IdentityRulesTests {
    private static let rules = IdentityRules(.user(1000))
    private static let signature = ProgramSignature(
        team: "TEAM", identifier: "org.example.app", granted: GrantedGroups(["TEAM.shared", "TEAM.org.example.app"]))
    private static let flatpak = SandboxedApplication(.flatpak, "org.example.App")

    private func identify(
        _ rules: IdentityRules = rules, _ change: (inout StatedFacts) -> Void = { _ in }
    ) throws -> CallerIdentity { try rules.identify(try StatedFacts(change)) }

    private func refusal(
        _ rules: IdentityRules = rules, _ change: (inout StatedFacts) -> Void = { _ in }
    ) throws -> Refusal? {
        let facts = try StatedFacts(change)
        return failure { () throws(Refusal) in try rules.identify(facts) }
    }

    @Test(
        "a program that nobody vouches for is unsigned and has the group of its path alone",
        .rule("access-groups.unsigned.path"))
    func unsigned() throws {
        let caller = try identify()
        #expect(caller.provenance == .unsigned && !caller.isAnchored && !caller.mayInspectAllGroups)
        #expect(caller.groups == ["program:/home/user/program"] && caller.program == "/home/user/program")
        #expect(caller.user == 1000 && caller.process == 4711)
    }

    @Test(
        "a signed program has the groups of its signature, in their order, and is called by its identifier",
        .rule("access-groups.entitlements.signed"))
    func signed() throws {
        let caller = try identify {
            $0.signed = .success(Self.signature)
            // The name may be another's: it is the content that is signed.
            $0.nameIsTrue = false
        }
        #expect(caller.provenance == .signed(team: "TEAM", identifier: "org.example.app"))
        #expect(caller.groups == ["TEAM.shared", "TEAM.org.example.app"] && caller.program == "org.example.app")
    }

    @Test(
        "programs of one team share the group that both are entitled to, and nothing else",
        .rule("access-groups.team.sharing", "access-groups.team.suite"))
    func share() throws {
        let other = ProgramSignature(
            team: "TEAM", identifier: "org.example.other",
            granted: GrantedGroups(["TEAM.shared", "TEAM.org.example.other"]))
        let (left, right) = (
            try identify { $0.signed = .success(Self.signature) }, try identify { $0.signed = .success(other) }
        )
        #expect(Set(left.groups).intersection(right.groups) == ["TEAM.shared"])
    }

    @Test("A signature that does not hold is refused; the program is not taken for unsigned")
    func brokenSignature() throws {
        let broken = Refusal(.missingEntitlement, .init(rawValue: "code.changed"), "s", "p", do: "d")
        let found = try refusal {
            $0.signed = .failure(broken)
            $0.service = "a.service"
        }
        #expect(found == broken)
    }

    @Test("A name that is not the file's own is refused to who has nothing else to show")
    func forgedName() throws {
        let found = try refusal { $0.nameIsTrue = false }
        #expect(found?.rule == .forgedName && found?.status == .missingEntitlement)
        let caller = try identify {
            $0.nameIsTrue = false
            $0.application = .success(Self.flatpak)
        }
        #expect(caller.groups == ["flatpak:org.example.App"])
    }

    @Test("The signature speaks first, then root's entitlements, then the sandbox, then the service manager")
    func order() throws {
        var rules = IdentityRules(.user(1000), installer: CurrentProcess.user)
        rules.installed.programs["/home/user/program"] = .init(file: "/e.plist", granted: GrantedGroups(["INSTALLED"]))
        func all(_ facts: inout StatedFacts) {
            facts.signed = .success(Self.signature)
            facts.application = .success(Self.flatpak)
            facts.service = "a.service"
        }
        #expect(try identify(rules, all).groups.first == "TEAM.shared")
        let installed = try identify(rules) {
            all(&$0)
            $0.signed = .success(nil)
        }
        #expect(installed.provenance == .installed(file: "/e.plist") && installed.groups == ["INSTALLED"])
        let sandboxed = try identify {
            all(&$0)
            $0.signed = .success(nil)
        }
        #expect(sandboxed.provenance == .sandboxed(.flatpak, application: "org.example.App"))
        let unit = try identify { $0.service = "a.service" }
        #expect(unit.provenance == .unit("a.service") && unit.groups == ["unit:a.service"])
    }

    @Test("The bridge to the desktop is known by its name in a user's own daemon, and by root's file in the service")
    func bridge() throws {
        let own = "program:/opt/x/keychain-secrets"
        func groups(_ bridge: KnownBridge, _ change: (inout StatedFacts) -> Void = { _ in }) throws -> [String] {
            try identify(IdentityRules(.user(1000), installer: CurrentProcess.user, bridge: bridge)) {
                $0.path = "/opt/x/keychain-secrets"
                change(&$0)
            }.groups
        }
        #expect(try groups(.unknown) == [own])
        #expect(try groups(.name) == [AccessGroup.secretService, own])
        #expect(
            try groups(.name) { $0.path = "/opt/x/not-keychain-secrets" } == ["program:/opt/x/not-keychain-secrets"])
        #expect(try groups(.name) { $0.seesCommonFiles = false } == [own])
        #expect(try groups(.name) { $0.service = "a.service" } == ["unit:a.service"])
        // As long as it is there, no other file has its number.
        let directory = try TemporaryDirectory()
        let file = try Files.makeFile(in: directory, name: "a")
        #expect(try groups(.file(file)) == [own])
        #expect(try groups(.file(file)) { $0.file = file } == [AccessGroup.secretService, own])
        #expect(try groups(.file(file)) { ($0.file, $0.seesCommonFiles) = (file, false) } == [own])
        let writable = try Files.makeFile(in: directory, name: "b", mode: 0o775)
        #expect(try groups(.file(writable)) { $0.file = writable } == [own])
        let system = IdentityRules(.system, installer: CurrentProcess.user, bridge: .file(file))
        let root = try identify(system) { ($0.user, $0.file) = (0, file) }
        #expect(!root.groups.contains(AccessGroup.secretService))
    }

    @Test("A sandbox that lies about itself is refused, not passed over")
    func forgedSandbox() throws {
        let forged = Refusal(.missingEntitlement, .forgedSandbox, "s", "p", do: "d")
        #expect(try refusal { $0.application = .failure(forged) } == forged)
    }

    @Test("Other users are refused before anything is asked about their program")
    func foreignUser() throws {
        let found = try refusal {
            $0.user = 1001
            $0.signed = .failure(Refusal(.io, .internalError, "", "", do: ""))
        }
        #expect(found?.rule == .foreignUser && found?.status == .missingEntitlement)
        #expect(try refusal { $0.user = 0 }?.rule == .foreignUser)
    }

    @Test("The system's keychain serves root and system units, and no other program, signed or not")
    func system() throws {
        let rules = IdentityRules(.system)
        #expect(try identify(rules) { $0.user = 0 }.groups == ["program:/home/user/program"])
        #expect(try identify(rules) { $0.service = "a.service" }.groups == ["unit:a.service"])
        #expect(try refusal(rules)?.rule == .foreignUser)
        #expect(try refusal(rules) { $0.signed = .success(Self.signature) }?.rule == .foreignUser)
    }

    @Test("Only the very file of the inspecting command may look at all groups")
    func inspector() throws {
        let directory = try TemporaryDirectory()
        let (file, other) = (
            try Files.makeFile(in: directory, name: "a"), try Files.makeFile(in: directory, name: "b")
        )
        var rules = Self.rules
        rules.inspector = file
        #expect(try identify(rules) { $0.file = file }.mayInspectAllGroups)
        #expect(try !identify(rules) { $0.file = other }.mayInspectAllGroups)
    }

    @Test("Only the very file of the bridge has the user asked for others, and it is not called unsigned")
    func prompter() throws {
        let directory = try TemporaryDirectory()
        let (file, other) = (
            try Files.makeFile(in: directory, name: "a"), try Files.makeFile(in: directory, name: "b")
        )
        var rules = Self.rules
        rules.prompter = file
        let (bridge, program) = (try identify(rules) { $0.file = file }, try identify(rules) { $0.file = other })
        #expect(bridge.mayAskForOthers && bridge.title == bridge.program)
        #expect(!program.mayAskForOthers && program.title == "\(program.program) (unsigned)")
        let prompt = { (caller: CallerIdentity) in CallerReport(caller).mayAskForOthers }
        #expect(prompt(bridge) && !prompt(program))
    }

    @Test("Installed entitlements count for a file that only its installer may write, under its true name")
    func installed() throws {
        var rules = IdentityRules(.user(1000), installer: CurrentProcess.user)
        rules.installed.programs["/home/user/program"] = .init(file: "/e.plist", granted: GrantedGroups(["INSTALLED"]))
        #expect(try identify(rules).groups == ["INSTALLED"])
        let own = ["program:/home/user/program"]
        for mode: UInt32 in [0o775, 0o757, 0o777] {
            let file = try Files.make(mode: mode)
            #expect(try identify(rules) { $0.file = file }.groups == own)
        }
        var foreign = rules
        foreign.installer = CurrentProcess.user + 1
        #expect(try identify(foreign).groups == own)
        #expect(try refusal(rules) { $0.nameIsTrue = false }?.rule == .forgedName)
        let other = try identify(rules) { $0.path = "/home/user/program2" }
        #expect(other.groups == ["program:/home/user/program2"])
    }

    @Test("A script has its own groups when it runs, and its interpreter those of the interpreter")
    func scripts() throws {
        var rules = IdentityRules(.user(1000), installer: CurrentProcess.user)
        let script = InstalledEntitlements.Script(
            file: "/s.plist", path: "/usr/bin/tool", granted: GrantedGroups(["SCRIPT"]))
        rules.installed.scripts["/home/user/program"] = [script]
        let running = try identify(rules) { $0.script = "/usr/bin/tool" }
        #expect(running.groups == ["SCRIPT"] && running.program == "/usr/bin/tool")
        #expect(running.provenance == .installed(file: "/s.plist"))
        #expect(try identify(rules).groups == ["program:/home/user/program"])
        #expect(try identify(rules) { $0.script = "/usr/bin/other" }.provenance == .unsigned)
    }
}
