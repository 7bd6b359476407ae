import CallerIdentification
import CodeSignature
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("Programs that claim a name, as they run")
struct ClaimProcessTests {
    private static let name = "org.example.claim"

    /// A door whose users have the home that a test says; it is their own folder, unless the test says otherwise.
    private func door(home: (TemporaryDirectory) -> String = { $0.path }) throws -> Doorway {
        try Doorway(accounts: { directory in
            let line = "someone:x:\(CurrentProcess.user):1::\(home(directory)):/bin/sh\n"
            let path = directory.file("accounts")
            try AtomicFile.replace(path, with: Array(line.utf8).span)
            return path
        })
    }

    /// A copy of Perl with a claim.
    @discardableResult
    private func claiming(
        _ path: String, at door: Doorway, claim: String = name, in source: String = "/usr/bin/perl"
    ) throws -> String {
        try AtomicFile.replace(door.file("claim"), with: Array(claim.utf8).span)
        let section = ".keychain.claim=\(door.file("claim"))"
        let folder = path.split(separator: "/").dropLast().joined(separator: "/")
        try door.run(["mkdir", "-p", door.file(folder)])
        try door.run(["objcopy", "--add-section", section, source, door.file("made")])
        return try door.copy(path, of: door.file("made"))
    }

    private func groups(_ path: String) -> [String] { ["claimed:\(Self.name)", "program:\(path)"] }

    @Test("The same claim in two folders has the same group, the second time as the first")
    func folders() throws {
        let door = try door()
        for path in ["debug/app", "release/app"] {
            let program = try claiming(path, at: door)
            let visitor = try door.start([program])
            for _ in 0..<2 { #expect(try door.identify(visitor.peer).groups == groups(program)) }
        }
    }

    @Test("The account's home is where its links lead, and HOME says nothing")
    func links() throws {
        let door = try door { directory in
            unsafe mkdir(directory.file("real"), 0o755)
            unsafe symlink(directory.file("real"), directory.file("home"))
            return directory.file("home")
        }
        let (inside, outside) = (try claiming("real/app", at: door), try claiming("elsewhere", at: door))
        #expect(try door.identify(inside).groups == groups(inside))
        #expect(
            try door.identify("/usr/bin/env", "HOME=\(door.directory.path)", outside).groups == ["program:" + outside])
    }

    @Test(
        "A home that is everybody's, is not there, or is another's is nobody's",
        arguments: ["/", "//", "/.", "/none", "/usr", "", "."])
    func homes(home: String) throws {
        // Root's account has what is root's for its own.
        guard home != "/usr" || CurrentProcess.user != 0 else { return }
        let door = try door { _ in home }
        let program = try claiming("app", at: door)
        let caller = try door.identify(program)
        #expect(caller.groups == ["program:" + program])
        #expect(caller.provenance.isUnsigned && caller.provenance != .unsigned)
    }

    @Test("A program that is replaced while it runs claims what it was started with, and so does one that is deleted")
    func replaced() throws {
        let door = try door()
        let program = try claiming("app", at: door)
        let visitor = try door.start([program])
        try claiming("app", at: door, claim: "org.example.other")
        #expect(try door.identify(visitor.peer).groups == groups(program))
        try door.run(["rm", program])
        #expect(try door.identify(visitor.peer).groups == groups(program))
    }

    @Test("Who connects and becomes a program that claims is that program when it first asks, and the other way round")
    func becomes() throws {
        let door = try door()
        let (program, plain) = (try claiming("app", at: door), try door.copy("plain"))
        let visitor = try door.start([plain])
        #expect(try door.identify(try door.become(program, visitor)).groups == groups(program))
        let other = try door.start([program])
        #expect(try door.identify(other.peer).groups == groups(program))
        #expect(try door.identify(try door.become(plain, other)).groups == ["program:" + plain])
    }

    @Test("A hard link below the home claims, and one to a file of another user's does not")
    func hardLinks() throws {
        let door = try door()
        let program = try claiming("app", at: door)
        try door.run(["ln", program, door.file("link")])
        #expect(try door.identify(door.file("link")).groups == groups(door.file("link")))
        guard Files.mayGiveAway else { return }
        try door.run(["chown", "\(CurrentProcess.user + 1)", program])
        #expect(try door.identify(door.file("link")).groups == ["program:" + door.file("link")])
    }

    @Test("A sandbox with other mounts has no claim", .enabled(if: HostileCallerTests.canMount))
    func sandbox() throws {
        let door = try door()
        let program = try claiming("app", at: door)
        let caller = try door.identify("/usr/bin/bwrap", "--dev-bind", "/", "/", program)
        #expect(caller.groups == ["program:" + program])
    }

    @Test("A process below another root has no claim there, and says nothing of the home", .enabled(if: getuid() == 0))
    func chroot() throws {
        let door = try door { $0.file("home") }
        let jail = door.file("jail")
        let (inside, honest) = ("jail\(door.file("home"))/app", "home/app")
        let program = try claiming(inside, at: door, in: "/usr/bin/python3")
        let visitor = try door.startPython(program)
        try visitor.program.input.writeText("os.chroot('\(jail)'); print('done', flush=True)\n")
        #expect(try visitor.program.output.readText(5) == "done\n")
        #expect(try door.identify(visitor.peer).groups == ["program:" + program])
        let other = try claiming(honest, at: door)
        #expect(try door.identify(other).groups == groups(other))
    }

    @Test("A signed program that claims has its signature's groups")
    func signed() throws {
        let (door, team) = (try door(), try Team())
        let program = try claiming("app", at: door)
        let target = try FileDescriptor.open(door.file("signed"), O_RDWR | O_CREAT | O_TRUNC)
        _ = try team.signing(["shared"], false).sign(try FileDescriptor.open(program, O_RDONLY), to: target)
        let caller = try door.identify(door.copy("signed-app", of: door.file("signed")))
        #expect(caller.groups == ["\(team.id).shared", "\(team.id).org.example.app"])
    }

    @Test("A file is shown with the groups it would have, and with why its claim opens none")
    func examined() throws {
        let door = try door()
        let viewer = CallerIdentity(user: CurrentProcess.user, process: getpid(), program: "viewer", groups: [])
        let program = try claiming("app", at: door)
        let shown = try door.identifier.examine(try FileDescriptor.open(program, O_RDONLY), for: viewer)
        #expect(shown.groups == groups(program))
        let wrong = try claiming("wrong", at: door, claim: "org.example.")
        guard
            case .misclaimed(let why) = try door.identifier.examine(
                try FileDescriptor.open(wrong, O_RDONLY), for: viewer
            ).provenance
        else { return #expect(Bool(false), "it is said why") }
        #expect(why.contains("a name has 1 to 64"))
    }
}
