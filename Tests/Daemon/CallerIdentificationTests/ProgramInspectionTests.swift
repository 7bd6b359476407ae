import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// A file system that does not answer until it is let go.
final class Hang: Sendable {
    private let state = Monitor((isOver: false, waiting: 0))

    func wait() {
        state.update { $0.waiting += 1 }
        _ = state.wait { $0.isOver ? true : nil }
    }

    /// Waits until so many wait.
    func holds(_ count: Int) -> Bool { state.wait(deadline: soon) { $0.waiting == count ? true : nil } ?? false }
    func end() { state.update { $0.isOver = true } }
}

@Suite("Inspections of programs whose file system does not answer")
struct ProgramInspectionTests {
    private let hang = Hang()
    private let daemon = Hang()

    private func limits(_ change: (inout ProgramInspections.Limits) -> Void = { _ in }) -> ProgramInspections.Limits {
        var limits = ProgramInspections.Limits()
        change(&limits)
        return limits
    }

    /// Whether an inspection is done.
    private func inspects(_ inspections: ProgramInspections, for asker: ProgramInspections.Asker) throws(Refusal)
        -> Bool
    {
        let isDone = Monitor(false)
        try inspections.enqueue(for: asker, of: daemon) { isDone.update { $0 = true } }
        return isDone.wait(deadline: soon) { $0 ? true : nil } ?? false
    }

    @Test("A user whose inspections hang waits behind themselves alone: others' are done meanwhile")
    func others() throws {
        let inspections = ProgramInspections()
        let hang = hang
        for _ in 0..<2 { try inspections.enqueue(for: .user(1), of: daemon) { hang.wait() } }
        #expect(hang.holds(2))
        let isDone = Monitor(false)
        try inspections.enqueue(for: .user(1), of: daemon) { isDone.update { $0 = true } }
        for user: UInt32 in 2..<20 { #expect(try self.inspects(inspections, for: .user(user))) }
        // A daemon's word about a user is not the identity of that user.
        #expect(try self.inspects(inspections, for: .said(1)))
        #expect(!isDone.update { $0 })
        hang.end()
        #expect(isDone.wait(deadline: soon) { $0 ? true : nil } ?? false)
        inspections.close()
    }

    @Test("A user whose inspections all hang is refused at once, and is inspected when one ends")
    func refusesAtOnce() throws {
        let inspections = ProgramInspections(limits { $0.stallTimeout = -1 })
        let hang = hang
        for _ in 0..<2 { try inspections.enqueue(for: .user(1), of: daemon) { hang.wait() } }
        #expect(hang.holds(2))
        let refusal = failure { () throws(Refusal) in try inspections.enqueue(for: .user(1), of: daemon) {} }
        #expect(refusal?.rule == .unidentifiedCaller && refusal?.problem.contains("does not answer") == true)
        #expect(try self.inspects(inspections, for: .user(2)))
        hang.end()
        #expect(eventually { (try? self.inspects(inspections, for: .user(1))) == true })
        inspections.close()
    }

    @Test(
        "So many inspections of a user and of a daemon may wait; the next is refused, one for another daemon is not"
    )
    func isBounded() throws {
        let inspections = ProgramInspections(limits { ($0.waitingOfUser, $0.ofDaemon) = (1, 6) })
        let hang = hang
        for user: UInt32 in [1, 1, 1, 2, 2, 2] { try inspections.enqueue(for: .user(user), of: daemon) { hang.wait() } }
        #expect(hang.holds(4))
        for user: UInt32 in [1, 3] {
            #expect(failure { () throws(Refusal) in try inspections.enqueue(for: .user(user), of: daemon) {} } != nil)
        }
        let isDone = Monitor(false)
        #expect(failure { () throws(Refusal) in try inspections.enqueue(for: .user(1), of: hang) {} } != nil)
        try inspections.enqueue(for: .user(3), of: hang) { isDone.update { $0 = true } }
        #expect(isDone.wait(deadline: soon) { $0 ? true : nil } ?? false)
        hang.end()
        inspections.close()
    }

    @Test("One user's inspections that hang for good never end the identifier; when all that may be do, it ends")
    func lastResort() throws {
        let inspections = ProgramInspections(limits { ($0.all, $0.timeout) = (4, -1) })
        let hang = hang
        for _ in 0..<8 { try inspections.enqueue(for: .user(1), of: daemon) { hang.wait() } }
        #expect(hang.holds(2) && !inspections.isExhausted)
        for _ in 0..<2 { try inspections.enqueue(for: .user(2), of: daemon) { hang.wait() } }
        #expect(hang.holds(4) && inspections.isExhausted)
        hang.end()
        inspections.close()
    }
}

@Suite("A program whose file is never read")
struct HangingProgramTests {
    @Test(
        "While it is looked at, others are identified through the same channel, and it is when its file is read")
    func holdsUpNobody() throws {
        let (door, hang, inspections) = (try Doorway { _ in }, Hang(), ProgramInspections())
        let reader = SignatureReader { (file) throws(Refusal) in
            let path = try? SymbolicLink.read("/proc/self/fd/\(file.number)")
            if path?.hasSuffix("hanging") ?? false { hang.wait() }
            return nil
        }
        let user = CurrentProcess.user
        let identifier = CallerIdentifier(
            IdentityRules(.user(user)), folders: EntitlementFolders([door.file("none")]), signatures: reader)
        let (daemons, identifiers) = try UnixSocket.packetPair()
        let session = IdentifierSession(identifiers, identifier, inspections)
        _ = try Thread(named: "identifier") { session.serve() }
        let client = IdentifierClient(.user(user))
        client.use(daemons)
        let found = Monitor<String?>(nil)
        let hanging = try door.start([door.copy("hanging")])
        guard case .slow(let work) = try client.identify(hanging.peer) else {
            throw SystemError(code: EEXIST, call: "")
        }
        work.begin { outcome in found.update { $0 = (try? outcome.get())?.identity.program ?? "refused" } }
        #expect(hang.holds(1))
        for name in ["one", "two", "three"] {
            let visitor = try door.start([door.copy(name)])
            guard case .slow(let work) = try client.identify(visitor.peer) else {
                throw SystemError(code: EEXIST, call: "")
            }
            #expect(try work.finish().identity.program == door.file(name))
        }
        #expect(found.update { $0 } == nil)
        hang.end()
        #expect(found.wait(deadline: soon) { $0 } == door.file("hanging"))
        shutdown(identifiers.descriptor.number, CInt(SHUT_RDWR))
        inspections.close()
    }

    @Test(
        "Who is no unit is refused at the system's keychain before the file is looked at",
        .enabled(if: Files.mayGiveAway))
    func stranger() throws {
        let door = try Doorway { $0.servedCallers = .system }
        let reader = SignatureReader { (_) throws(Refusal) in throw .malformed("what nobody may look at") }
        let identifier = CallerIdentifier(
            IdentityRules(.system), folders: EntitlementFolders([door.file("none")]), signatures: reader)
        let words = ["/usr/bin/setpriv", "--reuid", "64325", "--regid", "64325", "--clear-groups"]
        let visitor = try door.start(words + [door.copy("app")])
        let refusal = failure { () throws(Refusal) in _ = try identifier.identify(visitor.peer) }
        #expect(refusal?.rule == .foreignUser && refusal?.problem.contains(door.file("app")) == true)
    }
}
