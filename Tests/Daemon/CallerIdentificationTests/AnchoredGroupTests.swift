import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("The groups of anchored programs")
struct AnchoredGroupTests {
    private let directory: TemporaryDirectory
    private let rules: IdentityRules

    init() throws {
        directory = try TemporaryDirectory()
        // The user that runs the tests plays root, and their group the marker's.
        rules = IdentityRules(.user(getuid()), anchorGroup: getegid(), installer: getuid())
    }

    private func program(_ name: String, mode: mode_t) throws -> String {
        let path = directory.file(name)
        try AtomicFile.replace(path, with: Array("x".utf8).span)
        #expect(unsafe chown(path, getuid(), getegid()) == 0 && chmod(path, mode) == 0)
        return path
    }

    private func hides(_ group: String, _ entitlements: [String] = []) -> Bool {
        let buffer = SecretBuffer()
        buffer.append(.accessGroup, .string(group))
        let viewer = CallerIdentity(user: 1000, process: 1, program: "s", groups: ["s"], mayInspectAllGroups: true)
        let groups = rules.anchoredGroups(EntitlementFolders(entitlements))
        return groups.hide(try? AttributeList(parsing: buffer.finish()), from: viewer)
    }

    @Test("A marked file's group is one; that of another file, of one that others may change, or of none is not")
    func marked() throws {
        let group = { (path: String) in CallerIdentity.ownGroup(ofExecutable: path) }
        #expect(hides(group(try program("anchored", mode: 0o2755))))
        #expect(!hides(group(try program("plain", mode: 0o755))))
        #expect(!hides(group(try program("open", mode: 0o2777))))
        #expect(!hides(group(directory.file("nowhere"))))
        #expect(!hides("TEAM.org.example.app"))
    }

    @Test("An item that cannot be read, or has no group, is shown to nobody but root")
    func unreadable() {
        let groups = rules.anchoredGroups(EntitlementFolders([]))
        let viewer = CallerIdentity(user: 1000, process: 1, program: "s", groups: ["s"], mayInspectAllGroups: true)
        #expect(groups.hide(nil, from: viewer))
        #expect(!groups.hide(nil, from: CallerIdentity(user: 0, process: 1, program: "s", groups: ["s"])))
    }
}
