import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("PeerCredentials")
struct PeerCredentialsTests {
    @Test("The peer of a socket pair is this process")
    func ownPair() throws {
        let (left, right) = try UnixSocket.pair()
        let peer = try PeerCredentials(of: left)
        #expect(peer.process == getpid() && peer.user == geteuid() && peer.group == getegid())
        #expect(peer.isAlive)
        let plain = try PeerCredentials(of: UnixSocket(right.descriptor, witness: ProcessWitness(of: getpid())))
        #expect(plain.isAlive && !plain.isKernelsWord && plain.process == peer.process)
    }

    @Test("The peer of a connection is the process that connected, with its start time; once it has ended, nobody")
    func otherProcess() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        let client = try RunningProgram("/usr/bin/perl", ["-MSocket", "-e", Self.connect, directory.file("socket")])
        try listener.descriptor.wait(for: .readable, deadline: soon)
        let server = try #require(try listener.accept())
        let peer = try PeerCredentials(of: server)
        #expect(peer.process == client.process && peer.user == geteuid())
        #expect(peer.isKernelsWord && server.witness == nil)

        kill(client.process, SIGKILL)
        _ = client.waitForExit()
        #expect(!peer.isAlive)
        // The kernel's descriptor may still exist; it then says that the process has ended.
        #expect((try? PeerCredentials(of: server))?.isAlive != true)
        #expect(code { () throws(SystemError) in _ = try ExecutableFile(of: peer) } != nil)
    }

    @Test("A process that has ended and is not yet buried is not alive")
    func zombie() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        let client = try RunningProgram("/usr/bin/perl", ["-MSocket", "-e", Self.connect, directory.file("socket")])
        try listener.descriptor.wait(for: .readable, deadline: soon)
        let server = try #require(try listener.accept())
        let peer = try PeerCredentials(of: server)
        kill(client.process, SIGKILL)
        // The end of its output is the end of the process.
        #expect(try client.output.readText(1) == "")
        try #require(peer.processDescriptor).wait(for: .readable, deadline: soon)
        #expect(!peer.isAlive)
    }

    /// The witnesses of a kernel that reports only the number of a connection's process: with pidfds, and without.
    private static func witnesses(_ noted: ProcessWitness) -> [ProcessWitness] {
        [noted, ProcessWitness(descriptor: nil, startTime: noted.startTime)]
    }

    @Test(
        "Where the kernel has only a number, the process that had it at the accept is the peer until it ends"
    )
    func noted() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        let client = try RunningProgram("/usr/bin/perl", ["-MSocket", "-e", Self.connect, directory.file("socket")])
        try listener.descriptor.wait(for: .readable, deadline: soon)
        let server = try #require(try listener.accept(notingPeer: true))
        let sockets = Self.witnesses(try #require(server.witness)).map { UnixSocket(server.descriptor, witness: $0) }
        let peers = try sockets.map { socket in try PeerCredentials(of: socket) }
        for peer in peers { #expect(peer.isAlive && !peer.isKernelsWord && peer.process == client.process) }
        kill(client.process, SIGKILL)
        _ = client.waitForExit()
        for peer in peers { #expect(!peer.isAlive) }
        for socket in sockets {
            #expect(code { () throws(SystemError) in _ = try PeerCredentials(of: socket) } == ESRCH)
        }
    }

    @Test("There a process that ended before its connection was taken is nobody, whoever has its number")
    func endedBefore() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        let client = try RunningProgram(
            "/usr/bin/perl",
            [
                "-MSocket", "-e", "socket(S, PF_UNIX, SOCK_STREAM, 0) and connect(S, sockaddr_un($ARGV[0]))",
                directory.file("socket"),
            ])
        #expect(client.waitForExit() == 0)
        let server = try #require(try listener.accept(notingPeer: true))
        #expect(code { () throws(SystemError) in _ = try PeerCredentials(of: server) } == ESRCH)
        // This process has another start time than the recorded one.
        let other = UnixSocket(server.descriptor, witness: ProcessWitness(descriptor: nil, startTime: 1))
        #expect(code { () throws(SystemError) in _ = try PeerCredentials(of: other) } == ESRCH)
    }

    @Test("The real group of the peer is known with the kernel's descriptor and without")
    func realGroup() throws {
        let (left, right) = try UnixSocket.pair()
        defer { extendLifetime(right) }
        #expect(try PeerCredentials(of: left).realGroup() == getgid())
        #expect(try ProcessView(getpid()).realGroup() == getgid())
    }

    @Test("The descriptor of a file has no peer")
    func noSocket() throws {
        let (reader, _) = try FileDescriptor.pipe()
        #expect(code { () throws(SystemError) in _ = try PeerCredentials(of: UnixSocket(reader)) } == ENOTSOCK)
    }

    private static let connect = """
        socket(S, PF_UNIX, SOCK_STREAM, 0) and connect(S, sockaddr_un($ARGV[0])) or die; sleep 1000
        """
}

extension ExecutableFile {
    /// Whether its path leads to this file. It is false for a file that is mounted over the name elsewhere, and for one
    /// that has been replaced since it was started.
    fileprivate var isAtItsPath: Bool { (try? FileStatus(at: path))?.isSameFile(as: status) ?? false }
}

@Suite("ExecutableFile")
struct ExecutableFileTests {
    // A child makes the copy: a child that another test starts meanwhile would inherit a file opened here for writing,
    // and the kernel does not execute such a file.
    private func copyOfCat(_ path: String) throws {
        #expect(try RunningProgram("/bin/cp", ["--remove-destination", "/bin/cat", path]).waitForExit() == 0)
    }

    @Test("The program of this process is the file it was started from")
    func ownProgram() throws {
        let program = try ExecutableFile(of: PeerCredentials(of: UnixSocket.pair().0))
        #expect(program.isAtItsPath)
        #expect(try FileStatus(at: "/proc/self/exe")?.isSameFile(as: program.status) == true)
        #expect(try FileStatus(at: program.path) == program.status)
    }

    @Test("A program that is renamed while it runs is the same file under its new name")
    func renamed() throws {
        let directory = try TemporaryDirectory()
        try copyOfCat(directory.file("before"))
        let program = try RunningProgram(directory.file("before"))
        #expect(try program.echo() == "echo\n")
        let before = try ExecutableFile(ofProcess: program.process)
        unsafe rename(directory.file("before"), directory.file("after"))
        let after = try ExecutableFile(ofProcess: program.process)
        #expect(before.path == directory.file("before") && after.path == directory.file("after"))
        #expect(after.isAtItsPath && after.status.isSameFile(as: before.status))
        #expect(!before.isAtItsPath)
    }

    @Test("A program that is replaced while it runs is not the file at its path any more")
    func replaced() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("program")
        try copyOfCat(path)
        let program = try RunningProgram(path)
        #expect(try program.echo() == "echo\n")
        try copyOfCat(path)
        let running = try ExecutableFile(ofProcess: program.process)
        #expect(running.path == path && running.status.links == 0)
        #expect(!running.isAtItsPath)
    }

    @Test("A file mounted over another's name has that name and is not that file", .enabled(if: Self.canMount))
    func mountedOver() throws {
        let directory = try TemporaryDirectory()
        let (impostor, honest) = (directory.file("impostor"), directory.file("honest"))
        try copyOfCat(impostor)
        try copyOfCat(honest)
        let script = "mount --bind \(impostor) \(honest) && exec \(honest)"
        let program = try RunningProgram("/usr/bin/unshare", ["-rm", "sh", "-c", script])
        #expect(try program.echo() == "echo\n")
        let running = try ExecutableFile(ofProcess: program.process)
        #expect(running.path == honest)
        #expect(!running.isAtItsPath)
        #expect(try FileStatus(at: impostor)?.isSameFile(as: running.status) == true)
    }

    static let canMount: Bool = (try? RunningProgram("/usr/bin/unshare", ["-rm", "true"]).waitForExit()) == 0
}
