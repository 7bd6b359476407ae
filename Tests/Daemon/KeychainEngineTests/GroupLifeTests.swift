import Glibc
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Groups outlive their programs")
struct GroupLifeTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private static let command = CallerIdentity(
        user: CurrentProcess.user, process: 3, program: "/usr/bin/security", groups: ["s"],
        mayInspectAllGroups: true)

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    /// A program in the test's folder that has been here, with an item in each of its groups.
    private func program(_ name: String, groups: [String]? = nil) throws -> CallerIdentity {
        let path = directory.file(name)
        if try FileStatus(at: path) == nil { _ = try FileDescriptor.open(path, O_CREAT | O_WRONLY) }
        let caller = CallerIdentity(
            user: 1000, process: 1, program: path, provenance: groups == nil ? .unsigned : .installed(file: "f"),
            groups: groups ?? [CallerIdentity.ownGroup(ofExecutable: path)])
        engine.engine.arrived(caller)
        for group in caller.groups { try? engine.add(name, "v", more: ["agrp": .string(group)], as: caller) }
        return caller
    }

    private func remove(_ caller: CallerIdentity) { unsafe unlink(caller.program) }

    private func orphans(as caller: CallerIdentity = command) throws -> [OrphanGroup] {
        guard case .orphans(let groups) = try engine.access(.orphans, from: caller) else {
            throw Refusal.malformed("the groups")
        }
        return groups
    }

    private func uninstalled(_ callers: CallerIdentity..., as caller: CallerIdentity = command) throws -> UInt64 {
        guard case .purged(let count) = try engine.access(.uninstalled(callers.map(\.program)), from: caller) else {
            throw Refusal.malformed("the count")
        }
        return count
    }

    private func purge(_ group: String) throws {
        _ = try engine.access(.setPolicy(.purge, group: group), from: Self.command)
    }

    @Test(
        "a group whose program is gone is listed with its items and when it was seen, one with a program is not",
        .rule("access-groups.removal.last"))
    func lists() throws {
        let (one, two) = (try program("one"), try program("two"))
        #expect(try orphans().isEmpty)
        remove(one)
        let found = try orphans()
        #expect(found.map(\.group) == one.groups && found.map(\.items) == [1] && found.map(\.policy) == [.keep])
        #expect(found.first?.programs == [one.program] && (found.first?.lastSeen ?? 0) > 9000)
        #expect(try orphans(as: two).isEmpty)
        #expect(try orphans(as: one).count == 1)
    }

    @Test(
        "a group of several programs is one without programs only when all of them are gone",
        .rule("access-groups.removal.last"))
    func severalPrograms() throws {
        let (one, two) = (try program("one", groups: ["TEAM.g"]), try program("two", groups: ["TEAM.g"]))
        remove(one)
        #expect(try orphans().isEmpty)
        remove(two)
        #expect(try orphans().map(\.group) == ["TEAM.g"])
        #expect(try orphans().first?.programs.sorted() == [one.program, two.program])
    }

    @Test("The inspecting command learns whether others have items, also while they are locked; programs do not")
    func others() throws {
        let request = AccessRequest.others
        #expect(try engine.access(request, from: Self.command) == .others(false))
        try engine.add("own", "v", more: ["agrp": .string("s")], as: Self.command)
        #expect(try engine.access(request, from: Self.command) == .others(false))
        let one = try program("one")
        #expect(try engine.access(request, from: Self.command) == .others(true))
        #expect(throws: Refusal.self) { try engine.access(request, from: one) }
        try engine.device(.setPasscode, "1")
        try engine.device(.lock)
        #expect(try engine.access(request, from: Self.command) == .others(true))
    }

    @Test("Groups whose names Swift calls equal are two: no program reaches the other's items, or ends them")
    func spellings() throws {
        let (one, two) = (try program("caf\u{E9}"), try program("cafe\u{301}"))
        for (caller, other) in [(one, two), (two, one)] {
            #expect(try groups(shownTo: caller) == caller.groups.map { ExactText($0) })
            #expect(throws: Refusal.self) { try groups(shownTo: caller, of: other.groups[0]) }
            try purge(caller.groups[0])
        }
        remove(one)
        remove(two)
        #expect(try orphans().count == 2)
        #expect(try uninstalled(one) == 1)
        #expect(try orphans().count == 1)
    }

    /// The groups of the items that a program finds.
    private func groups(shownTo caller: CallerIdentity, of named: String? = nil) throws -> [ExactText] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        try builder.set("m_Limit", .string("m_LimitAll"))
        try builder.set("r_Attributes", .boolean(true))
        if let named { try builder.set("agrp", .string(named)) }
        let request = try builder.build()
        let found = try engine.perform(request, from: caller).items
        return found.compactMap { $0.attributes[.accessGroup]?.string }.map { ExactText($0) }
    }

    @Test("The inspecting command learns whether anything was ever stored, also when all of it was deleted")
    func isUsed() throws {
        #expect(try engine.access(.use, from: Self.command) == .used(false))
        let one = try program("one")
        try engine.add("a", "v", as: one)
        #expect(try engine.access(.use, from: Self.command) == .used(true))
        #expect(throws: Refusal.self) { try engine.access(.use, from: one) }
        try engine.tamper("DELETE FROM genp")
        #expect(try engine.access(.use, from: Self.command) == .used(true))
    }

    @Test("An unsigned program that never came back is known by the name of its group")
    func neverSeen() throws {
        let path = directory.file("gone")
        let caller = CallerIdentity(
            user: 1000, process: 1, program: path, groups: [CallerIdentity.ownGroup(ofExecutable: path)])
        try engine.add("a", "v", as: caller)
        #expect(try orphans().map(\.programs) == [[path]])
    }

    @Test("without a policy the items of removed programs stay, whatever is told", .rule("access-groups.removal.last"))
    func keeps() throws {
        let one = try program("one")
        remove(one)
        #expect(try uninstalled(one) == 0)
        #expect(try orphans().map(\.items) == [1])
    }

    @Test(
        "with the policy they go when the last program has gone, and not before; nothing else goes",
        .rule("access-groups.removal.last"))
    func purges() throws {
        let (one, two) = (try program("one", groups: ["TEAM.g", "TEAM.kept"]), try program("two", groups: ["TEAM.g"]))
        let three = try program("three")
        try purge("TEAM.g")
        try purge(three.groups[0])
        #expect(try uninstalled(one) == 0)
        remove(one)
        #expect(try uninstalled(one) == 0)
        remove(two)
        remove(three)
        #expect(try uninstalled(two) == 2)
        #expect(try orphans().map(\.group) == ["TEAM.kept", three.groups[0]].sorted())
        #expect(try engine.wrongCounters() == 0)
    }

    @Test("a program that is still there is not uninstalled by being called so", .rule("access-groups.removal.last"))
    func stillThere() throws {
        let one = try program("one")
        try purge(one.groups[0])
        #expect(try uninstalled(one) == 0)
        remove(one)
        #expect(try uninstalled(one) == 1)
    }

    @Test(
        "another program may neither say so nor set the policy",
        .rule("access-groups.removal.last", "access-groups.removal.authority"))
    func strangers() throws {
        let one = try program("one")
        let stranger = CallerIdentity(user: 1000, process: 1, program: "/bin/stranger", groups: ["x"])
        #expect(refusal { _ = try uninstalled(one, as: stranger) }?.rule == .inspection)
        let request = AccessRequest.setPolicy(.purge, group: one.groups[0])
        #expect(refusal { _ = try engine.access(request, from: stranger) }?.rule == .foreignGroups)
        _ = try engine.access(request, from: one)
    }

    @Test("What was known of a group goes with its new name")
    func renames() throws {
        let one = try program("one", groups: ["TEAM.g"])
        try purge("TEAM.g")
        let root = CallerIdentity(user: 0, process: 1, program: "/bin/root", groups: [])
        _ = try engine.access(.move(GroupMove(from: "TEAM.g", to: "TEAM.h", isRename: true)), from: root)
        remove(one)
        #expect(try orphans().map(\.group) == ["TEAM.h"] && (try orphans().first?.policy) == .purge)
    }

    @Test("A group that programs claim has no policy and no other name, and stays when the last of them goes")
    func claims() throws {
        let group = "claimed:org.example.app"
        let one = try program("one", groups: [group])
        #expect(refusal { try purge(group) }?.status == .param)
        #expect(refusal { _ = try engine.access(.setPolicy(.purge, group: group), from: one) }?.status == .param)
        for (from, to) in [(group, "TEAM.g"), ("TEAM.g", group)] {
            let move = AccessRequest.move(GroupMove(from: from, to: to, isRename: true))
            #expect(refusal { _ = try engine.access(move, from: one) }?.status == .param)
        }
        remove(one)
        #expect(try uninstalled(one) == 0 && orphans().map(\.items) == [1])
    }

    @Test("Who was seen is written down when the store is tidied up, sealed, and known to the next daemon")
    func writesDown() throws {
        let one = try program("one", groups: ["TEAM.findme-group"])
        engine.engine.maintain()
        remove(one)
        let names = ["findme-group", one.program].map { Array($0.utf8) }
        for file in ["keychain.db", "keychain.db-wal"] {
            let content = try Self.bytes(of: "\(engine.folder)/\(file)")
            for name in names { #expect(!content.contains(name)) }
        }
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM groupbook", "") == 1)
        let next = try TestEngine(in: directory)
        guard case .orphans(let found) = try next.access(.orphans, from: Self.command) else {
            throw Refusal.malformed("the groups")
        }
        #expect(found.map(\.programs) == [[one.program]])
    }

    private static func bytes(of path: String) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: try FileStatus(of: file).size)
        var span = bytes.mutableSpan
        _ = try file.readFully(into: &span)
        return bytes
    }
}
