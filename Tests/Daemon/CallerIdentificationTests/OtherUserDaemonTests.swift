import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

/// The daemon is played by a child of this test under another user, which looks at a client and says what it sees.
@Suite("A daemon under a user of its own", .enabled(if: Files.mayGiveAway))
struct OtherUserDaemonTests {
    private let door: Doorway
    private static let daemonUser: UInt32 = 64_324

    init() throws { door = try Doorway { $0.clientele = .user(Self.daemonUser) } }

    private enum Sight: CInt {
        case known = 0
        case hidden
        case otherwise
    }

    /// What a process of the daemon's user sees of a client.
    private func look(at peer: UnixSocket, of client: UInt32, mayTrace: Bool) -> Sight? {
        let child = ForkedChild {
            guard Privileges.become(Self.daemonUser, keepingTrace: mayTrace) else { return 99 }
            let identifier = CallerIdentifier(IdentityRules(.user(client)), folders: EntitlementFolders(["/none"]))
            do throws(Refusal) {
                let caller =
                    switch try identifier.identify(peer) {
                    case .known(let caller): caller
                    case .slow(let work): try work.finish()
                    }
                return (caller.provenance == .unsigned ? Sight.known : .otherwise).rawValue
            } catch {
                let isExplained = error.rule == .unidentifiedCaller && error.remedy.contains("CAP_SYS_PTRACE")
                return (isExplained ? Sight.hidden : .otherwise).rawValue
            }
        }
        return Sight(rawValue: child.waitForExit())
    }

    @Test("It sees programs of other users with CAP_SYS_PTRACE, and without it says what it lacks")
    func otherUser() throws {
        let peer = try door.start([door.copy("app")]).peer
        #expect(look(at: peer, of: 0, mayTrace: true) == .known)
        #expect(look(at: peer, of: 0, mayTrace: false) == .hidden)
    }

    @Test("A program whose file is closed to the daemon is known by its name, and counts as unsigned")
    func closedFile() throws {
        let peer = try door.start([door.copy("app", mode: "700")]).peer
        #expect(look(at: peer, of: 0, mayTrace: true) == .known)
    }

    @Test("A program that lets nobody look at it is seen with CAP_SYS_PTRACE alone, also by its own user")
    func undumpable() throws {
        let (user, app) = ("\(Self.daemonUser)", try door.copy("app"))
        let words = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", app]
        let visitor = try door.start(words)
        #expect(look(at: visitor.peer, of: Self.daemonUser, mayTrace: false) == .known)
        try visitor.perform("syscall(\(Privileges.prctlNumber), 4, 0, 0, 0, 0)")
        #expect(look(at: visitor.peer, of: Self.daemonUser, mayTrace: false) == .hidden)
        #expect(look(at: visitor.peer, of: Self.daemonUser, mayTrace: true) == .known)
    }
}

/// What a process may do, given up for good.
private enum Privileges {
    #if arch(x86_64)
        static let prctlNumber = 157
    #else
        static let prctlNumber = 167
    #endif

    /// Becomes another user with CAP_SYS_PTRACE alone, or without anything.
    static func become(_ user: UInt32, keepingTrace: Bool) -> Bool {
        // Swift does not see functions with variable arguments, nor the C library capset.
        typealias Control = @convention(c) (CInt, CUnsignedLong, CUnsignedLong, CUnsignedLong, CUnsignedLong) -> CInt
        typealias Set = @convention(c) (UnsafeRawPointer, UnsafeRawPointer) -> CInt
        guard let control = unsafe dlsym(nil, "prctl"), let set = unsafe dlsym(nil, "capset") else { return false }
        let keepCapabilities: CInt = 8
        guard unsafe unsafeBitCast(control, to: Control.self)(keepCapabilities, keepingTrace ? 1 : 0, 0, 0, 0) == 0,
            setgroups(0, nil) == 0, setgid(user) == 0, setuid(user) == 0
        else { return false }
        guard keepingTrace else { return true }
        let head: [UInt32] = [0x2008_0522, 0]
        let trace: UInt32 = 1 << 19
        let sets: [UInt32] = [trace, trace, 0, 0, 0, 0]
        return unsafe head.withUnsafeBytes { head in
            unsafe sets.withUnsafeBytes { sets in
                unsafe unsafeBitCast(set, to: Set.self)(head.baseAddress!, sets.baseAddress!) == 0
            }
        }
    }
}
