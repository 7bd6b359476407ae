import CallerIdentification
import CodeSignature
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport

/// A socket for visitors, and the programs that come to it.
final class Doorway {
    let directory: TemporaryDirectory
    let identifier: CallerIdentifier
    let processes: KnownProcesses
    private let listener: UnixSocket
    private var queue: WatchedSource
    /// They run as long as somebody may look at them.
    private var programs: [RunningProgram] = []

    /// How coarse the clocks of the tests' file systems may be, in nanoseconds: a few ticks of any kernel.
    static let tick: Int64 = 50_000_000
    private let tick: Int64

    /// - Parameter tick: how long a program must be unchanged to be remembered, in nanoseconds.
    init(
        _ change: (inout IdentityRules) -> Void = { _ in }, tick: Int64 = tick, host: Host = .current(),
        folders: (TemporaryDirectory) -> EntitlementFolders = { EntitlementFolders([$0.file("none")]) },
        accounts: (TemporaryDirectory) throws -> String = { $0.file("none") }
    ) throws {
        directory = try TemporaryDirectory()
        // Programs of other users come, too.
        unsafe chmod(directory.path, 0o755)
        listener = try UnixSocket.listen(at: directory.file("socket"), mode: 0o666)
        queue = WatchedSource(listener)
        var rules = IdentityRules(.user(CurrentProcess.user))
        change(&rules)
        self.tick = tick
        processes = KnownProcesses(tick: tick)
        identifier = CallerIdentifier(
            rules, folders: folders(directory), signatures: SignatureReader(cache: SignatureCache(tick: tick)),
            processes: processes, host: host, accounts: try accounts(directory))
    }

    func file(_ name: String) -> String { directory.file(name) }

    /// A copy of Perl: a program that is a client, and whatever else a test needs. Not copied by this process, for a
    /// child that another test starts meanwhile would keep it open for writing.
    @discardableResult
    func copy(_ name: String, of source: String = "/usr/bin/perl", mode: String = "755") throws -> String {
        for words in [["cp", "--remove-destination", source, file(name)], ["chmod", mode, file(name)]] {
            try run(words)
        }
        return file(name)
    }

    /// A copy of Perl that was not changed just now.
    func settled(_ name: String) throws -> String { try settle(copy(name)) }

    /// Waits until a program may be remembered.
    @discardableResult
    func settle(_ path: String) throws -> String {
        guard try eventually({ try FileVersion(at: path).isSettled(tick: tick) }) else {
            throw SystemError(code: ETIME, call: "statx", advice: path)
        }
        return path
    }

    func run(_ words: [String]) throws {
        guard try RunningProgram("/usr/bin/env", words).waitForExit() == 0 else {
            throw SystemError(code: EIO, call: words.joined(separator: " "))
        }
    }

    /// Signs a copy of Perl.
    func sign(_ name: String, with team: Team, groups: [String] = [], requiresAnchor: Bool = false) throws -> String {
        let signed = file("\(name).signed")
        let target = try FileDescriptor.open(signed, O_RDWR | O_CREAT | O_TRUNC)
        _ = try team.signing(groups, requiresAnchor).sign(
            try FileDescriptor.open("/usr/bin/perl", O_RDONLY), to: target)
        return try copy(name, of: signed)
    }

    /// The connection of a program that was started to connect, once it has.
    func accept() throws -> UnixSocket {
        try listener.descriptor.wait(for: .readable, deadline: soon)
        guard let peer = try queue.accept() else { throw SystemError(code: EAGAIN, call: "accept") }
        queue.looked(from: Clock.monotonicNanoseconds)
        return peer
    }

    /// Checks that no connection waits: the next one was made after this call.
    func seeNobody() throws {
        let start = Clock.monotonicNanoseconds
        do { try listener.descriptor.wait(for: .readable, deadline: .now) } catch  where error.code == ETIMEDOUT {
            return queue.looked(from: start)
        }
        throw SystemError(code: EISCONN, call: "poll")
    }

    /// Has a program connect once more.
    func connectAgain(_ visitor: Visitor) throws -> UnixSocket {
        try visitor.perform("socket(S, PF_UNIX, SOCK_STREAM, 0) and connect(S, sockaddr_un($path)) or die $!")
        return try accept()
    }

    /// Whether a connection is known to be a process's that was identified before.
    func knows(_ peer: UnixSocket) throws -> Bool {
        processes.find(try PeerNumbers(of: peer), madeAfter: peer.madeAfter) != nil
    }

    /// Starts words that end in a copy of Perl, which connects; afterwards it does what is written to it, line by line.
    func start(_ words: [String]) throws -> Visitor {
        let arguments = Array(words.dropFirst()) + ["-MSocket", "-e", Self.script, file("socket")]
        let program = try RunningProgram(words[0], arguments)
        programs.append(program)
        return Visitor(program: program, peer: try accept())
    }

    func identify(_ words: String...) throws -> CallerIdentity { try identify(try start(words).peer) }

    func identify(_ peer: UnixSocket) throws(Refusal) -> CallerIdentity {
        switch try identifier.identify(peer) {
        case .known(let caller): return caller.identity
        case .slow(let work): return try work.finish().identity
        }
    }

    /// Identifies a peer that is looked at for the second time, so that a note of it is taken.
    func identifyAgain(_ peer: UnixSocket) throws(Refusal) -> CallerIdentity {
        _ = try identify(peer)
        return try identify(peer)
    }

    func refusal(_ peer: UnixSocket) -> Refusal? { failure { () throws(Refusal) in try identify(peer) } }

    /// Has a visitor become another program that connects as it did; gives the new connection.
    func become(_ path: String, _ visitor: Visitor) throws -> UnixSocket {
        try AtomicFile.replace(file("script"), with: Array(Self.script.utf8).span, mode: 0o644)
        try visitor.become(path, ["-MSocket", file("script"), file("socket")])
        return try accept()
    }

    /// Starts a copy of Python, which connects; then each line that is written to it is executed.
    func startPython(_ path: String) throws -> Visitor {
        let script = """
            import os, socket, sys, threading
            peer = socket.socket(socket.AF_UNIX); peer.connect(sys.argv[1])
            for line in sys.stdin: exec(line)
            """
        let program = try RunningProgram(path, ["-c", script, file("socket")])
        programs.append(program)
        return Visitor(program: program, peer: try accept())
    }

    /// Has another thread of Python than its first become a program that connects as it did; gives the new connection.
    func becomeInThread(_ path: String, _ visitor: Visitor) throws -> UnixSocket {
        try AtomicFile.replace(file("script"), with: Array(Self.script.utf8).span, mode: 0o644)
        let words = [path, "-MSocket", file("script"), file("socket")].map { "'\($0)'" }.joined(separator: ", ")
        let call = "os.execv('\(path)', [\(words)])"
        try visitor.program.input.writeText("threading.Thread(target=lambda: \(call)).start()\n")
        return try accept()
    }

    // A file that is executed afterwards keeps the connection. A set-group-ID Perl trusts no word from outside.
    private static let script = """
        $^F = 255; $| = 1; my ($path) = $ARGV[0] =~ /(.*)/;
        socket(S, PF_UNIX, SOCK_STREAM, 0) and connect(S, sockaddr_un($path)) or die $!;
        while (<STDIN>) { my ($code) = /(.*)/; eval $code; print "done\\n" }
        """
}

/// A program that has connected.
struct Visitor {
    let program: RunningProgram
    let peer: UnixSocket

    /// Has it do something in Perl.
    func perform(_ code: String) throws {
        try program.input.writeText(code + "\n")
        guard try program.output.readText(5) == "done\n" else { throw SystemError(code: EPIPE, call: "read") }
    }

    /// Has it become another program, and waits until it has.
    func become(_ path: String, _ arguments: [String] = []) throws {
        let words = ([path] + arguments).map { "'\($0)'" }.joined(separator: ", ")
        try program.input.writeText("exec \(words)\n")
        let deadline = soon
        while try ProcessView(program.process).executable().path != path {
            if deadline.hasPassed { throw SystemError(code: ETIMEDOUT, call: "execve") }
        }
    }
}

/// A team with a key of its own.
struct Team {
    let key: TeamPrivateKey
    let chain: TeamChain

    var id: String { chain.team.text }

    init() throws {
        key = try TeamPrivateKey.generate()
        chain = try TeamChain([], to: key.publicKey)
    }

    func signing(_ groups: [String], _ requiresAnchor: Bool) throws -> CodeSigning {
        let list = groups.map { "<string>\(id).\($0)</string>" }.joined()
        let plist = """
            <plist version="1.0"><dict><key>keychain-access-groups</key><array>\(list)</array>
            \(requiresAnchor ? "<key>keychain-requires-anchor</key><true/>" : "")</dict></plist>
            """
        return try CodeSigning(
            identifier: "org.example.app", plist: groups.isEmpty && !requiresAnchor ? [] : Array(plist.utf8),
            signer: key,
            chain: chain)
    }
}
