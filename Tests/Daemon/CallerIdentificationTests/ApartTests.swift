import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// A daemon that asks an identifier, both in this process.
private final class Pair {
    let door: Doorway
    let client: IdentifierClient
    let inspections: ProgramInspections
    /// The identifier's ends of its channels.
    private var ends: [UnixSocket] = []

    init(
        _ limits: ProgramInspections.Limits = ProgramInspections.Limits(),
        _ change: (inout IdentityRules) -> Void = { _ in }
    ) throws {
        inspections = ProgramInspections(limits)
        door = try Doorway(change, folders: { EntitlementFolders([$0.file("entitlements")], interval: 0) })
        client = IdentifierClient(.user(CurrentProcess.user))
    }

    deinit {
        for end in ends { shutdown(end.descriptor.number, CInt(SHUT_RDWR)) }
        inspections.close()
    }

    /// Gives the daemon a channel to an identifier that answers.
    ///
    /// - Parameter identifier: the test's own when nil.
    func connect(_ identifier: CallerIdentifier? = nil) throws {
        let session = IdentifierSession(try channel(), identifier ?? door.identifier, inspections)
        _ = try Thread(named: "identifier") { session.serve() }
    }

    /// Gives the daemon a channel; the other end of it.
    ///
    /// - Parameter prepare: gets the daemon's end before the daemon does.
    func channel(_ prepare: (UnixSocket) -> Void = { _ in }) throws -> UnixSocket {
        let (daemons, identifiers) = try UnixSocket.packetPair()
        prepare(daemons)
        ends.append(identifiers)
        client.use(daemons)
        return identifiers
    }

    func identify(_ peer: UnixSocket) throws(Refusal) -> IdentifiedCaller {
        switch try client.identify(peer) {
        case .known(let caller): return caller
        case .slow(let work): return try work.finish()
        }
    }

    func examine(_ file: FileDescriptor, for caller: CallerIdentity) throws(Refusal) -> CallerIdentity {
        let outcome = Monitor<Result<CallerIdentity, Refusal>?>(nil)
        client.examine(file, for: caller) { found in outcome.update { $0 = found } }
        guard let found = outcome.wait({ $0 }) else { throw .malformed("an answer") }
        return try found.get()
    }

    /// Has a visitor identified, and gives the result or the rule that refuses. Any thread may get the answer.
    func begin(_ visitor: Visitor, _ note: @escaping @Sendable (String) -> Void) throws(Refusal) {
        switch try client.identify(visitor.peer) {
        case .known(let caller): note(caller.identity.program)
        case .slow(let work):
            work.begin { outcome in
                switch outcome {
                case .success(let caller): note(caller.identity.program)
                case .failure(let refusal): note(refusal.rule.rawValue)
                }
            }
        }
    }

}

@Suite("A daemon that may not look at processes asks the identifier")
struct ApartTests {
    @Test("It is told what the identifier finds, and watches the process itself")
    func answers() throws {
        let pair = try Pair()
        try pair.connect()
        let visitor = try pair.door.start([pair.door.copy("app")])
        let caller = try pair.identify(visitor.peer)
        #expect(try caller.identity == pair.door.identify(visitor.peer) && caller.process.isUnchanged)
        kill(visitor.program.process, SIGKILL)
        _ = visitor.program.waitForExit()
        #expect(!caller.process.isUnchanged)
    }

    @Test("A signature's team, groups and name come through")
    func signed() throws {
        let (pair, team) = (try Pair(), try Team())
        try pair.connect()
        let visitor = try pair.door.start([pair.door.sign("app", with: team, groups: ["shared"])])
        let identity = try pair.identify(visitor.peer).identity
        #expect(identity.provenance == .signed(team: team.id, identifier: "org.example.app"))
        #expect(identity.groups.contains("\(team.id).shared"))
    }

    @Test("A refusal comes through as it is")
    func refusals() throws {
        let pair = try Pair { $0.servedCallers = .user(4_000_000) }
        try pair.connect()
        let visitor = try pair.door.start([pair.door.copy("app")])
        let own = try #require(pair.door.refusal(visitor.peer))
        let refusal = failure { () throws(Refusal) in try pair.identify(visitor.peer) }
        #expect(refusal?.status == own.status && refusal?.rule == own.rule && refusal?.problem == own.problem)
    }

    @Test("Another user's connection is refused without a question")
    func foreign() throws {
        let pair = try Pair()
        let client = IdentifierClient(.user(4_000_000))
        let visitor = try pair.door.start([pair.door.copy("app")])
        #expect(failure { () throws(Refusal) in try client.identify(visitor.peer) }?.rule == .foreignUser)
    }

    @Test("What a program file would be given is asked there, too")
    func examines() throws {
        let pair = try Pair()
        try pair.connect()
        let visitor = try pair.door.start([pair.door.copy("app")])
        let caller = try pair.identify(visitor.peer).identity
        let file = try FileDescriptor.open(pair.door.copy("other"), O_RDONLY)
        #expect(try pair.examine(file, for: caller) == pair.door.identifier.examine(file, for: caller))
        let (reader, _) = try FileDescriptor.pipe()
        #expect(failure { () throws(Refusal) in try pair.examine(reader, for: caller) }?.status == .param)
    }

    @Test("Who connects again and again is known without a question, until it executes something")
    func knows() throws {
        let pair = try Pair()
        try pair.connect()
        let visitor = try pair.door.start([pair.door.settled("app")])
        #expect(pair.client.recognize(visitor.peer) == nil)
        for _ in 0..<2 {
            _ = try pair.identify(visitor.peer)
            try pair.door.seeNobody()
        }
        let again = try pair.door.connectAgain(visitor)
        #expect(pair.client.recognize(again)?.identity.groups == ["program:" + pair.door.file("app")])
        try pair.door.seeNobody()
        // The same program, executed once more: only the memory is another.
        let anew = try pair.door.become(pair.door.file("app"), visitor)
        #expect(pair.client.recognize(anew) == nil && pair.client.recognize(again) == nil)
    }

    @Test("A known program is identified while all threads of its user hang, also when entitlements have changed")
    func knowsWhileOthersHang() throws {
        // When anything is mounted on this machine, an identifier forgets the programs that it knows.
        let mounts = MountTable()
        var outcome = Result<Void, any Error>.success(())
        for _ in 0..<500 {
            let before = mounts.generation
            outcome = Result { try identifyWhileOthersHang() }
            if mounts.generation == before { break }
        }
        try outcome.get()
    }

    private func identifyWhileOthersHang() throws {
        var limits = ProgramInspections.Limits()
        // A thread has hung for too long as soon as it has begun.
        limits.stallTimeout = -1
        let pair = try Pair(limits)
        try pair.connect()
        let path = try pair.door.settled("app")
        _ = try pair.identify(pair.door.start([path]).peer)
        let hang = Hang()
        defer { hang.end() }
        for _ in 0..<limits.ofUser {
            try pair.inspections.enqueue(for: .user(CurrentProcess.user), of: pair) { hang.wait() }
        }
        #expect(hang.holds(limits.ofUser))
        let stranger = try pair.door.start([pair.door.copy("other")])
        #expect(failure { () throws(Refusal) in try pair.identify(stranger.peer) }?.status == .notAvailable)
        for number in 0..<10 {
            // A new file in the folder: entitlements have to be read again.
            try pair.door.run(["mkdir", "-p", pair.door.file("entitlements/\(number)")])
            #expect(try pair.identify(pair.door.start([path]).peer).identity.program == path)
        }
    }

    @Test(
        "An anchored process is refused from when it executes anything, also the same program",
        .enabled(if: geteuid() == 0))
    func anchored() throws {
        let group: UInt32 = 61_220
        let pair = try Pair { $0.anchorGroup = group }
        try pair.connect()
        let path = try pair.door.copy("app")
        #expect(unsafe chown(path, 0, group) == 0 && chmod(path, 0o2755) == 0)
        let visitor = try pair.door.start([path])
        let caller = try pair.identify(visitor.peer)
        #expect(caller.identity.isAnchored && caller.process.isUnchanged)
        _ = try pair.door.become(path, visitor)
        #expect(!caller.process.isUnchanged)
    }

    @Test("An anchored process is refused from when its file is another", .enabled(if: geteuid() == 0))
    func replaced() throws {
        let group: UInt32 = 61_220
        let pair = try Pair { $0.anchorGroup = group }
        try pair.connect()
        let path = try pair.door.copy("app")
        #expect(unsafe chown(path, 0, group) == 0 && chmod(path, 0o2755) == 0)
        let caller = try pair.identify(try pair.door.start([path]).peer)
        #expect(caller.process.isUnchanged)
        try pair.door.run(["rm", path])
        #expect(!caller.process.isUnchanged)
    }
}

@Suite("An identifier that ends, or says what is no answer")
struct BrokenIdentifierTests {
    private let pair: Pair
    private let visitor: Visitor

    init() throws {
        pair = try Pair()
        visitor = try pair.door.start([pair.door.copy("app")])
    }

    @Test("Who asks while there is none waits for the next one")
    func waits() throws {
        let (pair, visitor) = (self.pair, self.visitor)
        let answer = Monitor<String?>(nil)
        try pair.channel().close()
        let (client, peer) = (pair.client, visitor.peer)
        let thread = try Thread(named: "asks") {
            let caller: IdentifiedCaller? =
                switch try? client.identify(peer) {
                case .known(let caller)?: caller
                case .slow(let work)?: try? work.finish()
                case nil: nil
                }
            answer.update { $0 = caller?.identity.program ?? "refused" }
        }
        try pair.connect()
        thread.join()
        #expect(answer.update { $0 } == pair.door.file("app"))
    }

    @Test("Who finds the channel full asks when there is room again, through the same one")
    func full() throws {
        var count = 0
        let identifier = try pair.channel { daemons in
            while (try? daemons.sendFully([0].span, deadline: .now)) != nil { count += 1 }
        }
        let answer = Monitor<String?>(nil)
        try pair.begin(visitor) { found in answer.update { $0 = found } }
        var room: [UInt8] = [0]
        var span = room.mutableSpan
        for _ in 0..<count { #expect(try identifier.receiveAtOnce(into: &span) == 1) }
        let session = IdentifierSession(identifier, pair.door.identifier, pair.inspections)
        _ = try Thread(named: "identifier") { session.serve() }
        #expect(answer.wait(deadline: soon) { $0 } == pair.door.file("app"))
    }

    @Test("Who gives a question up leaves the next one its own answer")
    func abandoned() throws {
        let identifier = try pair.channel()
        for _ in 0..<2 {
            guard case .slow = try pair.client.identify(visitor.peer) else { throw SystemError(code: EEXIST, call: "") }
        }
        let other = try pair.door.start([pair.door.copy("other")])
        let session = IdentifierSession(identifier, pair.door.identifier, pair.inspections)
        _ = try Thread(named: "identifier") { session.serve() }
        #expect(try pair.identify(other.peer).identity.program == pair.door.file("other"))
        #expect(try pair.identify(visitor.peer).identity.program == pair.door.file("app"))
    }

    @Test("One that ends each time it is asked is not asked for ever")
    func ends() throws {
        let (client, peer) = (pair.client, visitor.peer)
        let refusal = Monitor<Refusal?>(nil)
        let thread = try Thread(named: "asks") {
            let found = failure { () throws(Refusal) in
                if case .slow(let work) = try client.identify(peer) { _ = try work.finish() }
            }
            refusal.update { $0 = found }
        }
        try eventually {
            try pair.channel().close()
            return refusal.update { $0 } != nil
        }
        thread.join()
        #expect(refusal.update { $0 }?.rule == .unidentifiedCaller)
    }

    @Test(
        "What is no answer is refused, whatever it is",
        arguments: [
            [], [1], [0, 0, 0, 0], [0, 0, 0, 0, 1, 2, 3], [UInt8](repeating: 0, count: 64),
            [UInt8](repeating: 255, count: 4096),
        ])
    func lies(bytes: [UInt8]) throws {
        let identifier = try pair.channel()
        let thread = try Thread(named: "lies") {
            guard let number = try? identifier.question() else { return }
            try? identifier.sendFully((number + bytes).span, deadline: soon)
        }
        #expect(failure { () throws(Refusal) in try pair.identify(visitor.peer) } != nil)
        thread.join()
    }

    @Test("An answer without a number ends the channel, and what was asked through it is asked through the next")
    func nameless() throws {
        let identifier = try pair.channel()
        let answer = Monitor<String?>(nil)
        try pair.begin(visitor) { found in answer.update { $0 = found } }
        _ = try identifier.question()
        try identifier.sendFully([1, 2].span, deadline: soon)
        try pair.connect()
        #expect(answer.wait(deadline: soon) { $0 } == pair.door.file("app"))
    }

    @Test("Answers come in any order, each to its own question; one to no question is nobody's")
    func anyOrder() throws {
        let identifier = try pair.channel()
        let answers = Monitor<[String]>([])
        for _ in 0..<3 { try pair.begin(visitor) { _ in } }
        let others = try ["one", "two"].map { try pair.door.start([pair.door.copy($0)]) }
        for (index, other) in others.enumerated() {
            try pair.begin(other) { rule in answers.update { $0.append("\(index) \(rule)") } }
        }
        let numbers = try (0..<5).map { _ in try identifier.question() }
        for number in [[9, 9, 9, 9], numbers[4], numbers[3]] { try identifier.sendFully(number.span, deadline: soon) }
        let found = answers.wait(deadline: soon) { $0.count == 2 ? $0 : nil }
        #expect(found == ["1 wire.malformed", "0 wire.malformed"])
    }

    @Test(
        "What is no question ends the channel, and no more",
        arguments: [
            [9], [1, 0, 0, 0], [1, 0, 0, 0, 1], [1, 0, 0, 0, 1, 3, 0], [1, 0, 0, 0, 2, 0, 0, 0, 0],
            [UInt8](repeating: 1, count: 64),
        ])
    func broken(question: [UInt8]) throws {
        let (daemons, identifiers) = try UnixSocket.packetPair()
        let session = IdentifierSession(identifiers, pair.door.identifier, pair.inspections)
        let thread = try Thread(named: "identifier") { session.serve() }
        try daemons.sendFully(question.span, deadline: soon)
        thread.join()
        try pair.connect()
        #expect(try pair.identify(visitor.peer).identity.program == pair.door.file("app"))
    }
}

extension UnixSocket {
    /// The number of the next question that may take long; of all others it says that nothing is known at once.
    fileprivate func question() throws -> [UInt8] {
        while true {
            var bytes = [UInt8](repeating: 0, count: 64)
            var span = bytes.mutableSpan
            try descriptor.wait(for: .readable, deadline: soon)
            guard let arrival = try receiveAttached(into: &span), arrival.count > 4 else {
                throw SystemError(code: EPIPE, call: "recvmsg")
            }
            let number = Array(bytes.prefix(4))
            guard bytes[4] == 3 else { return number }
            try sendFully((number + [0, 0, 0, 0]).span, deadline: soon)
        }
    }

    /// Ends it for both sides.
    fileprivate func close() { shutdown(descriptor.number, CInt(SHUT_RDWR)) }
}
