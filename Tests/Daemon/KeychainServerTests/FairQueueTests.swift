import KeychainModel
import KeychainPolicy
import Testing

@testable import KeychainServer

@Suite("What waits is due by whose it is")
struct FairQueueTests {
    private static func caller(_ program: String, user: UInt32 = 1, _ provenance: Provenance) -> CallerIdentity {
        CallerIdentity(user: user, process: 1, program: program, provenance: provenance, groups: ["group"])
    }

    private static func standing(
        _ program: String, user: UInt32 = 1, _ provenance: Provenance = .installed(file: "file")
    ) -> Standing { Standing(caller(program, user: user, provenance)) }

    /// Everything in the order in which it is due.
    private static func drain(_ queue: FairQueue<String>) -> [String] {
        var (queue, order): (FairQueue<String>, [String]) = (queue, [])
        while let next = queue.take() { order.append(next) }
        return order
    }

    @Test("Programs take turns, and each has its own in the order in which they came")
    func turns() {
        var queue = FairQueue<String>()
        for number in 1...4 { queue.put("a\(number)", of: Self.standing("a")) }
        queue.put("b1", of: Self.standing("b"))
        queue.put("b2", of: Self.standing("b"))
        queue.put("c1", of: Self.standing("c"))
        #expect(Self.drain(queue) == ["a1", "b1", "c1", "a2", "b2", "a3", "a4"])
    }

    @Test("Users take turns before programs do")
    func users() {
        var queue = FairQueue<String>()
        for program in ["a", "b", "c"] { queue.put(program, of: Self.standing(program)) }
        queue.put("other", of: Self.standing("a", user: 2))
        #expect(Self.drain(queue) == ["a", "other", "b", "c"])
    }

    @Test("Programs in places that their user may write to share one turn")
    func shared() {
        var queue = FairQueue<String>()
        for number in 1...5 {
            queue.put("copy\(number)", of: Self.standing("/home/user/copy\(number)", .unsigned))
        }
        queue.put("entitled1", of: Self.standing("entitled"))
        queue.put("entitled2", of: Self.standing("entitled"))
        queue.put("installed", of: Self.standing("/usr/bin/installed", .unsigned))
        #expect(
            Self.drain(queue)
                == ["copy1", "entitled1", "installed", "copy2", "entitled2", "copy3", "copy4", "copy5"])
    }

    @Test("Programs that claim names share the turn of unsigned ones, and have the owner of their path")
    func claimed() {
        let own = Self.standing("/home/user/a", .unsigned)
        for number in 1...3 {
            let claim = Provenance.claimed("org.example.\(number)")
            #expect(Self.standing("/home/user/a", claim) == own)
            #expect(Self.standing("/home/user/\(number)", claim).turn == own.turn)
        }
        #expect(Self.standing("/home/user/a", .misclaimed(why: "why")) == own)
    }

    @Test("Signed programs share a turn, whoever has signed them: anybody can make a team, and any number of them")
    func signed() {
        var queue = FairQueue<String>()
        for number in 1...3 {
            let signature = Provenance.signed(team: "team\(number)", identifier: "program\(number)")
            queue.put("signed\(number)", of: Self.standing("/home/user/\(number)", signature))
        }
        queue.put("sandboxed", of: Self.standing("/app/bin/a", .sandboxed(.flatpak, application: "org.example.a")))
        queue.put("unsigned", of: Self.standing("/home/user/own", .unsigned))
        queue.put("unit", of: Self.standing("/srv/own", .unit("own.service")))
        #expect(Self.drain(queue) == ["signed1", "unsigned", "unit", "signed2", "signed3", "sandboxed"])
    }

    @Test("What may be performed in a row is one number for all programs that share a turn")
    func inARow() {
        var claimants = Claimants(RequestPaces(0))
        let copies = (1...3).map { claimants.claimant(of: Self.caller("/home/user/\($0)", .unsigned)) }
        let other = claimants.claimant(of: Self.caller("/usr/bin/other", .unsigned))
        #expect((0..<9).filter { copies[$0 % 3].turn.spend(of: 1, atMost: 4) } == [0, 1, 2, 3])
        #expect(other.turn.spend(of: 1, atMost: 4))
        #expect(copies[0].turn.spend(of: 2, atMost: 4))
    }

    @Test("A claimant that has something is never forgotten, however many come, nor is what it shares")
    func keepsClaimants() {
        var claimants = Claimants(RequestPaces(0))
        let first = claimants.claimant(of: Self.caller("/home/user/first", .unsigned))
        first.connections = 1
        for number in 1...2000 { _ = claimants.claimant(of: Self.caller("/usr/bin/\(number)", .unsigned)) }
        #expect(claimants.claimant(of: Self.caller("/home/user/first", .unsigned)) === first)
        let next = claimants.claimant(of: Self.caller("/home/user/next", .unsigned))
        #expect(next.turn === first.turn && next.turn.connections == 1)
    }

    @Test("A program of another user has a pace of its own")
    func pacesOfUsers() {
        let rateLimits = RequestPaces(1)
        let own = rateLimits.rateLimit(of: Self.caller("/usr/bin/program", user: 1, .unsigned))
        #expect(own === rateLimits.rateLimit(of: Self.caller("/usr/bin/program", user: 1, .unsigned)))
        #expect(own !== rateLimits.rateLimit(of: Self.caller("/usr/bin/program", user: 2, .unsigned)))
    }

    @Test("So many of a program are under way and no more, and others are taken meanwhile")
    func running() {
        var queue = FairQueue<String>(running: 2)
        for number in 1...4 { queue.put("a\(number)", of: Self.standing("a")) }
        queue.put("b1", of: Self.standing("b"))
        #expect([queue.take(), queue.take(), queue.take(), queue.take()] == ["a1", "b1", "a2", nil])
        queue.finished(of: Self.standing("b"))
        #expect(queue.take() == nil)
        queue.finished(of: Self.standing("a"))
        #expect(queue.take() == "a3")
        #expect(queue.take() == nil)
        queue.finished(of: Self.standing("a"))
        #expect(queue.take() == "a4")
    }

    @Test("So many are under way of all programs in such places, and of others more")
    func runningShared() {
        var queue = FairQueue<String>(running: 2, shared: 3)
        for copy in ["/home/a", "/home/b"] {
            for number in 1...2 { queue.put("\(copy)\(number)", of: Self.standing(copy, .unsigned)) }
        }
        queue.put("signed", of: Self.standing("signed"))
        let taken = (0..<5).map { _ in queue.take() }
        #expect(taken == ["/home/a1", "signed", "/home/b1", "/home/a2", nil])
    }

    @Test("Who is not wanted now waits, and others are taken")
    func wanted() {
        var queue = FairQueue<String>()
        queue.put("large", of: Self.standing("a"))
        queue.put("small", of: Self.standing("b"))
        #expect(queue.take { $0 != "large" } == "small")
        #expect(queue.take { $0 != "large" } == nil)
        #expect(queue.take() == "large")
        #expect(queue.take() == nil)
    }

    @Test("A line gives what was put in the order in which it came, however often it is emptied in between")
    func line() {
        var (line, next, expected) = (Line<Int>(), 0, 0)
        for round in 1...50 {
            for _ in 0..<round {
                line.append(next)
                next += 1
            }
            for _ in 0..<(round % 7 + 1) where !line.isEmpty {
                #expect(line.removeFirst() == expected)
                expected += 1
            }
        }
        while !line.isEmpty {
            #expect(line.removeFirst() == expected)
            expected += 1
        }
        #expect(expected == next && line.first == nil)
    }
}
