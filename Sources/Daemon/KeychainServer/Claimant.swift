import KeychainPolicy
import LinuxSystem

/// The share of an event loop for all programs that have one turn together, or for one that has its own.
final class Turn {
    /// All turns that are shared, if this is one.
    private let shared: SharedTurns?
    /// Their connections, without those beyond a share.
    fileprivate(set) var connections = 0 {
        didSet { shared?.connections += connections - oldValue }
    }
    private var number: UInt64 = 0
    private var spent = 0

    init(of shared: SharedTurns?) { self.shared = shared }

    var isShared: Bool { shared != nil }

    /// Whether a connection more fits into it, and into all that are shared.
    func hasRoom(within limits: ServerLimits) -> Bool {
        connections < limits.connectionsOfTurn && shared?.isFull(limits) != true
    }

    /// Whether a connection of another one takes the room that one of this needs.
    func competes(with other: Turn, within limits: ServerLimits) -> Bool {
        if connections >= limits.connectionsOfTurn { return other === self }
        return shared?.isFull(limits) == true ? other.isShared : true
    }

    /// Whether another of their requests may be performed in a turn of the loop.
    func spend(of number: UInt64, atMost share: Int) -> Bool {
        if self.number != number { (self.number, spent) = (number, 0) }
        spent += 1
        return spent <= share
    }
}

/// The share of an event loop for all shared turns together.
final class SharedTurns {
    fileprivate(set) var connections = 0

    fileprivate func isFull(_ limits: ServerLimits) -> Bool { connections >= limits.connectionsOfShared }
}

/// The share of one program, over all of its connections. Before the program is known, it is the share of a process.
final class Claimant {
    let standing: Standing
    /// The programs that share its turn.
    let turn: Turn
    let user: UInt32
    /// How fast it may ask; nil where there is no limit, and before it is known.
    let rateLimit: RequestRateLimit?
    /// Its connections, without those beyond its share.
    var connections = 0 {
        didSet { turn.connections += connections - oldValue }
    }
    /// Those.
    var excess = 0
    /// Bytes of unfinished frames and unread answers.
    var held = 0
    /// Until when its searches are not tried on the loop, because one took too long there.
    private var slow = Deadline.now

    init(_ standing: Standing, of user: UInt32, in turn: Turn, rateLimit: RequestRateLimit? = nil) {
        (self.standing, self.user, self.turn, self.rateLimit) = (standing, user, turn, rateLimit)
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

    /// Beyond so many, those that have nothing any more are forgotten, and again when there are twice as many as were
    /// left.
    private static let most = 256
    private var most = Self.most
    private var claimants: [Name: Claimant] = [:]
    private var turns: [ArraySlice<String>: Turn] = [:]
    private let shared = SharedTurns()
    private let rateLimits: RequestPaces

    init(_ rateLimits: RequestPaces) { self.rateLimits = rateLimits }

    /// The claimant of a process of which no more is known.
    mutating func claimant(of peer: PeerNumbers) -> Claimant {
        let name = Name.process(peer.user, peer.process)
        if let known = claimants[name] { return known }
        let standing = Standing(process: peer.process, of: peer.user)
        return keep(Claimant(standing, of: peer.user, in: turn(of: standing)), name)
    }

    mutating func claimant(of caller: CallerIdentity) -> Claimant {
        let name = Name.program(caller.user, caller.owner)
        if let known = claimants[name] { return known }
        let standing = Standing(caller)
        return keep(
            Claimant(standing, of: caller.user, in: turn(of: standing), rateLimit: rateLimits.rateLimit(of: caller)),
            name)
    }

    /// How many connections a user has.
    func connections(of user: UInt32) -> Int {
        claimants.values.reduce(0) { $0 + ($1.user == user ? $1.connections : 0) }
    }

    /// The one that holds most.
    var mostHolding: Claimant? { claimants.values.max { $0.held < $1.held } }

    private mutating func keep(_ claimant: Claimant, _ name: Name) -> Claimant {
        if claimants.count >= most {
            claimants = claimants.filter { $0.value.connections + $0.value.excess + $0.value.held > 0 }
            most = max(Self.most, claimants.count * 2)
            turns = claimants.values.reduce(into: [:]) { $0[$1.standing.turn] = $1.turn }
            turns[claimant.standing.turn] = claimant.turn
        }
        claimants[name] = claimant
        return claimant
    }

    private mutating func turn(of standing: Standing) -> Turn {
        if let known = turns[standing.turn] { return known }
        let turn = Turn(of: standing.sharesTurn ? shared : nil)
        turns[standing.turn] = turn
        return turn
    }
}
