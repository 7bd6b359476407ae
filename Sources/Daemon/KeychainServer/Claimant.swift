import KeychainPolicy
import LinuxSystem

/// What one program has of an event loop, over all of its connections. Before it is known who has connected, it is a process's.
final class Claimant {
    let standing: Standing
    let user: UInt32
    /// How fast it may ask; nil where there is no limit, and before it is known.
    let pace: RequestPace?
    /// Its connections, without those beyond its share.
    var connections = 0
    /// Those.
    var excess = 0
    /// Bytes of unfinished frames and unread answers.
    var held = 0
    private var turn: UInt64 = 0
    private var spent = 0
    /// Until when its searches are not tried on the loop, because one took too long there.
    private var slow = Deadline.now

    init(_ standing: Standing, of user: UInt32, pace: RequestPace? = nil) {
        (self.standing, self.user, self.pace) = (standing, user, pace)
    }

    /// Whether another of its requests may be performed in a turn of the loop.
    func spend(of turn: UInt64, atMost share: Int) -> Bool {
        if self.turn != turn { (self.turn, spent) = (turn, 0) }
        spent += 1
        return spent <= share
    }

    var isSlow: Bool { slow != .now && !slow.hasPassed }

    /// A search of its took too long.
    func noteSlow() { slow = .after(milliseconds: 1000) }
}

/// The claimants of a loop.
struct Claimants {
    private enum Name: Hashable {
        case process(UInt32, Int32)
        case program(UInt32, String)
    }

    /// Beyond so many, those that have nothing any more are forgotten.
    private static let most = 256
    private var claimants: [Name: Claimant] = [:]
    private let paces: RequestPaces

    init(_ paces: RequestPaces) { self.paces = paces }

    /// The claimant of a process of which no more is known.
    mutating func claimant(of peer: PeerNumbers) -> Claimant {
        let name = Name.process(peer.user, peer.process)
        if let known = claimants[name] { return known }
        return keep(Claimant(Standing(process: peer.process, of: peer.user), of: peer.user), name)
    }

    mutating func claimant(of caller: CallerIdentity) -> Claimant {
        let name = Name.program(caller.user, caller.owner)
        if let known = claimants[name] { return known }
        return keep(Claimant(Standing(caller), of: caller.user, pace: paces.pace(of: caller)), name)
    }

    /// How many connections a user has.
    func connections(of user: UInt32) -> Int {
        claimants.values.reduce(0) { $0 + ($1.user == user ? $1.connections : 0) }
    }

    /// The one that has most connections.
    var mostConnected: Claimant? { claimants.values.max { $0.connections < $1.connections } }
    /// The one that holds most.
    var mostHolding: Claimant? { claimants.values.max { $0.held < $1.held } }

    private mutating func keep(_ claimant: Claimant, _ name: Name) -> Claimant {
        if claimants.count >= Self.most {
            claimants = claimants.filter { $0.value.connections + $0.value.excess + $0.value.held > 0 }
        }
        claimants[name] = claimant
        return claimant
    }
}
