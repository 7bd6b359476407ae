import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

/// With real processes in file systems of their own, made as Flatpak makes them.
@Suite("Applications in a Flatpak", .enabled(if: HostileCallerTests.canMount))
struct SandboxProcessTests {
    private let door: Doorway
    private let runtime: TemporaryDirectory

    private static let info = """
        [Application]
        name=org.example.App
        [Instance]
        instance-id=42

        """

    init() throws {
        let runtime = try TemporaryDirectory()
        self.runtime = runtime
        var host = Host.current()
        host.runtimeFolders = runtime.path
        door = try Doorway(host: host)
        try door.copy("app")
    }

    /// The files that Flatpak would leave in the user's runtime folder.
    private func runs(_ instance: String, _ info: String = info) throws {
        let folder = "\(runtime.path)/\(CurrentProcess.user)/.flatpak/\(instance)"
        try door.run(["mkdir", "-p", folder])
        try AtomicFile.replace("\(folder)/info", with: Array(info.utf8).span)
    }

    /// Starts the application in a file system with these words at its top.
    private func start(_ more: [String], info: String = info) throws -> Visitor {
        try AtomicFile.replace(door.file("info"), with: Array(info.utf8).span)
        var words = ["/usr/bin/bwrap", "--tmpfs", "/", "--ro-bind", "/usr", "/usr"]
        for folder in ["/lib", "/lib64", "/bin", "/etc"] { words += ["--ro-bind-try", folder, folder] }
        words += ["--dev", "/dev", "--proc", "/proc", "--bind", door.directory.path, door.directory.path]
        return try door.start(words + more + [door.file("app")])
    }

    private var described: [String] { ["--ro-bind", door.file("info"), "/.flatpak-info"] }

    @Test("An application is known by what Flatpak says in and outside of its sandbox")
    func known() throws {
        try runs("42")
        let caller = try door.identify(try start(described).peer)
        #expect(caller.provenance == .sandboxed(.flatpak, application: "org.example.App"))
        #expect(caller.groups == ["flatpak:org.example.App"] && caller.program == "org.example.App")
    }

    @Test("A description that Flatpak did not write is refused")
    func forged() throws {
        try runs("41")
        #expect(door.refusal(try start(described).peer)?.rule == .forgedSandbox)
        try runs("42", Self.info.replacing("org.example.App", with: "org.example.Other"))
        #expect(door.refusal(try start(described).peer)?.rule == .forgedSandbox)
        try runs("42")
        #expect(try door.identify(try start(described).peer).groups == ["flatpak:org.example.App"])
    }

    @Test("Without the user's runtime folder there is nothing to compare with")
    func nothingToCompare() throws {
        #expect(try door.identify(try start(described).peer).groups == ["flatpak:org.example.App"])
    }

    @Test("A description that is a link, a folder, too long or none of Flatpak's is refused")
    func malformed() throws {
        try runs("42")
        let ways: [([String], String)] = [
            (["--symlink", door.file("info"), "/.flatpak-info"], Self.info), (["--dir", "/.flatpak-info"], Self.info),
            (described, Self.info + String(repeating: "#", count: 70_000)), (described, "nonsense"), (described, ""),
        ]
        for (words, info) in ways {
            #expect(door.refusal(try start(words, info: info).peer)?.rule == .forgedSandbox)
        }
    }

    @Test("A sandbox without a description is a program at its path, or refused where that is not its own")
    func noFlatpak() throws {
        #expect(try door.identify(try start([]).peer).groups == ["program:\(door.file("app"))"])
        try door.copy("other")
        let mounted = ["--bind", door.file("other"), door.file("app")]
        #expect(door.refusal(try start(mounted).peer)?.rule == .forgedName)
    }
}
