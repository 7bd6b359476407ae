import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

/// With real processes: the kernel gives the marker group, or does not. Only root can mark a program.
@Suite("Programs that root has anchored", .enabled(if: Files.mayMark))
struct AnchoredProcessTests {
    private let door: Doorway
    private let app: String

    init() throws {
        door = try Doorway { $0.anchorGroup = Files.marker }
        app = try door.copy("app")
        try mark(app)
    }

    private func mark(_ path: String) throws {
        try door.run(["chgrp", "\(Files.marker)", path])
        try door.run(["chmod", "2755", path])
    }

    private func refusal(_ words: String...) throws -> Refusal? { door.refusal(try door.start(words).peer) }

    @Test("A marked program is anchored: the kernel gave it the group when it was executed")
    func anchored() throws {
        let caller = try door.identify(app)
        #expect(caller.isAnchored && caller.groups == ["program:\(app)"])
        #expect(try !door.identify(door.copy("plain")).isAnchored)
    }

    @Test(
        "a signed program whose groups ask for the anchor gets them anchored, and is refused otherwise",
        .rule("access-groups.anchored.group"))
    func signedAndAnchored() throws {
        let team = try Team()
        let path = try door.sign("signed", with: team, groups: ["vault"], requiresAnchor: true)
        let found = try refusal(path)
        #expect(found?.rule == .notAnchored && found?.remedy.contains("security anchor") == true)
        try mark(path)
        let caller = try door.identify(path)
        #expect(caller.isAnchored && caller.groups.first == "\(team.id).vault")
    }

    @Test("Without new privileges the kernel does not anchor, and the program is refused")
    func noNewPrivileges() throws {
        #expect(try refusal("/usr/bin/setpriv", "--no-new-privs", app)?.rule == .notAnchored)
    }

    @Test("On a file system without set-group-ID the program is refused", .enabled(if: HostileCallerTests.canMount))
    func nosuid() throws {
        let words = [
            "/usr/bin/unshare", "-m", "sh", "-c",
            "mount -o bind \(door.directory.path) \(door.directory.path) && "
                + "mount -o remount,bind,nosuid \(door.directory.path) && exec \"$0\" \"$@\"", app,
        ]
        #expect(door.refusal(try door.start(words).peer)?.rule == .notAnchored)
    }

    @Test("Whoever has the marker group as his own is not anchored by executing the program")
    func ownGroup() throws {
        let words = ["/usr/bin/setpriv", "--regid", "\(Files.marker)", "--clear-groups", app]
        #expect(door.refusal(try door.start(words).peer)?.rule == .notAnchored)
    }

    @Test("Who connects before he becomes the anchored program is refused")
    func connectedBefore() throws {
        let visitor = try door.start([door.copy("first")])
        try door.copy("cat", of: "/bin/cat")
        try mark(door.file("cat"))
        try visitor.become(door.file("cat"))
        #expect(door.refusal(visitor.peer)?.rule == .notAnchored)
    }

    @Test("A program that an anchored one has started is not anchored by that")
    func child() throws {
        let words = [
            "/usr/bin/setpriv", "--rgid", "1", "--egid", "\(Files.marker)", "--clear-groups", try door.copy("plain"),
        ]
        let caller = try door.identify(try door.start(words).peer)
        #expect(!caller.isAnchored && caller.groups == ["program:\(door.file("plain"))"])
    }

    @Test("What lies on the disk is told apart from what runs: marked files would be anchored")
    func examination() throws {
        let caller = try door.identifier.identifyThisProcess()
        func examine(_ path: String) throws -> CallerIdentity {
            try door.identifier.examine(try FileDescriptor.open(path, O_RDONLY), for: caller)
        }
        #expect(try examine(app).isAnchored && examine(app).process == 0)
        #expect(try !examine(door.copy("plain")).isAnchored)
        let team = try Team()
        let signed = try door.sign("signed", with: team)
        #expect(try examine(signed).groups == ["\(team.id).org.example.app"])
        for path in [door.directory.path, "/dev/null"] {
            let file = try FileDescriptor.open(path, O_RDONLY)
            #expect(failure { () throws(Refusal) in try door.identifier.examine(file, for: caller) }?.status == .param)
        }
    }

    /// A library, in a folder of this test or elsewhere.
    private func library(_ path: String, owner: UInt32 = 0) throws -> String {
        try door.run(["cc", "-shared", "-fPIC", "-o", path, "-x", "c", "/dev/null"])
        unsafe chown(path, owner, owner)
        return path
    }

    /// An anchored program that has loaded a library.
    private func loaded(_ library: String) throws -> Visitor {
        let visitor = try door.start([app])
        try visitor.perform("require DynaLoader; DynaLoader::dl_load_file('\(library)') or die DynaLoader::dl_error()")
        return visitor
    }

    @Test("An anchored program may have loaded what only root can have put there, also if it was replaced since")
    func loads() throws {
        let path = try library(door.file("libroot.so"))
        let visitor = try loaded(path)
        #expect(try door.identify(visitor.peer).isAnchored)
        try door.run(["rm", path])
        #expect(try door.identify(visitor.peer).isAnchored)
    }

    @Test("One that has loaded a file of others, or from where others may write, is refused, also if it is gone")
    func loadsForeign() throws {
        unsafe mkdir(door.file("own"), 0o755)
        unsafe chown(door.file("own"), 1000, 1000)
        let paths = [
            try library(door.file("libuser.so"), owner: 1000), try library(door.file("own/libroot.so")),
            try library("/tmp/libuser-\(getpid()).so", owner: 1000),
        ]
        for path in paths {
            let visitor = try loaded(path)
            let found = door.refusal(visitor.peer)
            #expect(found?.rule == .notAnchored && found?.problem.contains("has loaded code") == true, "\(path)")
            try door.run(["rm", path])
            // In root's own folder only root can have put it.
            #expect((door.refusal(visitor.peer) == nil) == (path == paths[0]), "\(path)")
        }
    }
}
