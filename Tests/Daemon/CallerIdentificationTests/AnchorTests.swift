import CallerIdentification
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("Anchored is what root has marked and the kernel has honoured", .enabled(if: Files.mayGiveAway))
struct AnchorTests {
    private static let rules = IdentityRules(.user(1000), anchorGroup: Files.marker)

    /// A marked program that runs as it should, but for what the test changes.
    private func facts(_ change: (inout StatedFacts) -> Void = { _ in }) throws -> StatedFacts {
        let marked = try Files.make(owner: 0, group: Files.marker, mode: 0o2755)
        return try StatedFacts {
            $0.file = marked
            $0.group = Files.marker
            change(&$0)
        }
    }

    private func refusal(_ facts: StatedFacts) -> Refusal? {
        failure { () throws(Refusal) in try Self.rules.identify(facts) }
    }

    @Test("A marked program whose process had the marker group when it connected is anchored")
    func anchored() throws { #expect(try Self.rules.identify(try facts()).isAnchored) }

    @Test("A marked program that connected without the marker group is refused, with what to do")
    func withoutMarker() throws {
        let found = refusal(try facts { $0.group = 1000 })
        #expect(found?.rule == .notAnchored && found?.status == .missingEntitlement)
        #expect(found?.remedy.contains("nosuid") == true)
    }

    @Test("Whoever has the marker group already is not anchored by getting it")
    func inherited() throws { #expect(refusal(try facts { $0.real = Files.marker })?.rule == .notAnchored) }

    @Test(
        "A file that is not root's, that others may write, or that is not set to the marker group marks nothing",
        arguments: [
            (1000, Files.marker, 0o2755), (0, Files.marker, 0o2775), (0, Files.marker, 0o2757),
            (0, Files.marker, 0o755), (0, Files.marker, 0o2745), (0, 1000, 0o2755),
        ])
    func unmarked(owner: UInt32, group: UInt32, mode: UInt32) throws {
        let file = try Files.make(owner: owner, group: group, mode: mode)
        // A stolen marker group gives nothing to a program that root has not marked.
        for group: UInt32 in [1000, Files.marker] {
            let caller = try Self.rules.identify(
                facts {
                    $0.file = file
                    $0.group = group
                })
            #expect(!caller.isAnchored)
        }
    }

    @Test("Without a marker group nothing is anchored")
    func noGroup() throws { #expect(try !IdentityRules(.user(1000)).identify(try facts()).isAnchored) }

    @Test("Groups for the anchored program only are given to it, and refused to the same program unanchored")
    func requiresAnchor() throws {
        let signature = ProgramSignature(
            team: "TEAM", identifier: "app", granted: GrantedGroups(["TEAM.app"], requiresAnchor: true))
        let anchored = try Self.rules.identify(facts { $0.signed = .success(signature) })
        #expect(anchored.isAnchored && anchored.groups == ["TEAM.app"])
        let plain = try StatedFacts { $0.signed = .success(signature) }
        let found = refusal(plain)
        #expect(found?.rule == .notAnchored && found?.remedy.contains("security anchor") == true)
    }
}
