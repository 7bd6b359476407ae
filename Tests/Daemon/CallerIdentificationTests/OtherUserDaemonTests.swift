import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

/// The daemon is played by a child under another user, which looks at a client and says what it sees. It is forked from
/// a process that was started for the test: in one of many threads a child may find a lock of the runtime taken for
/// ever.
@Suite("A daemon under a user of its own", .enabled(if: Files.mayGiveAway))
struct OtherUserDaemonTests {
    private static let daemonUser: UInt32 = 64_324
    #if arch(x86_64)
        private static let prctlNumber = 157
    #else
        private static let prctlNumber = 167
    #endif

    private static func door() throws -> Doorway { try Doorway { $0.servedCallers = .user(daemonUser) } }

    private enum Sight: CInt {
        case known = 0
        case hidden
        case otherwise
    }

    /// The files that a process of the daemon's user sees of a client.
    private static func look(at peer: UnixSocket, of client: UInt32, mayTrace: Bool) -> Sight? {
        let child = ForkedChild {
            let kept: [Privileges.Capability] = mayTrace ? [.seeProcesses] : []
            guard (try? Privileges.reduce(to: Account(number: daemonUser), keeping: kept)) != nil else { return 99 }
            let identifier = CallerIdentifier(IdentityRules(.user(client)), folders: EntitlementFolders(["/none"]))
            do throws(Refusal) {
                let caller =
                    switch try identifier.identify(peer) {
                    case .known(let caller): caller.identity
                    case .slow(let work): try work.finish().identity
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
    func otherUser() async {
        await #expect(processExitsWith: .success) { () throws in
            let door = try Self.door()
            let peer = try door.start([door.copy("app")]).peer
            #expect(Self.look(at: peer, of: 0, mayTrace: true) == .known)
            #expect(Self.look(at: peer, of: 0, mayTrace: false) == .hidden)
        }
    }

    @Test("A program whose file is closed to the daemon is known by its name, and counts as unsigned")
    func closedFile() async {
        await #expect(processExitsWith: .success) { () throws in
            let door = try Self.door()
            let peer = try door.start([door.copy("app", mode: "700")]).peer
            #expect(Self.look(at: peer, of: 0, mayTrace: true) == .known)
        }
    }

    @Test("A program that lets nobody look at it is seen with CAP_SYS_PTRACE alone, also by its own user")
    func undumpable() async {
        await #expect(processExitsWith: .success) { () throws in
            let door = try Self.door()
            let (user, app) = ("\(Self.daemonUser)", try door.copy("app"))
            let words = ["/usr/bin/setpriv", "--reuid", user, "--regid", user, "--clear-groups", app]
            let visitor = try door.start(words)
            #expect(Self.look(at: visitor.peer, of: Self.daemonUser, mayTrace: false) == .known)
            try visitor.perform("syscall(\(Self.prctlNumber), 4, 0, 0, 0, 0)")
            #expect(Self.look(at: visitor.peer, of: Self.daemonUser, mayTrace: false) == .hidden)
            #expect(Self.look(at: visitor.peer, of: Self.daemonUser, mayTrace: true) == .known)
        }
    }
}
