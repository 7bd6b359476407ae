/// Calls that wait for a service. Each process has a line of its own, and processes have their turns one after another:
/// however many calls a process has sent, others wait for one of them at most.
///
/// In a line, calls that nobody has looked at yet come first: most are short, and wait for no long answer. After so
/// many of them comes a step of those that are answered in steps. These come one after another, so that a process has
/// one answer in the making.
package struct CallQueue<Call> {
    /// A call with its client, and the process of the client.
    package struct Waiting {
        fileprivate let client: CallClient
        package var call: Call
        /// The memory that it takes.
        let bytes: Int
    }

    private struct Line {
        var fresh = CallLine<Waiting>()
        var started = CallLine<Waiting>()
        /// The memory of the calls whose clients are there.
        var bytes = 0
        /// How many of the calls have a client that is there, and how many have none.
        var (here, gone) = (0, 0)
        /// The calls taken since the last step.
        var freshInARow = 0

        /// The memory that one more call may have.
        var room: Int { here < CallLimits.waiting ? CallLimits.bytes - bytes : 0 }

        var isEmpty: Bool { fresh.isEmpty && started.isEmpty }

        /// Takes out the call whose turn it is.
        mutating func popFirst() -> Waiting? {
            let isStepDue = freshInARow >= CallLimits.freshInARow && !started.isEmpty
            let takesStarted = fresh.isEmpty || isStepDue
            guard let taken = takesStarted ? started.popFirst() : fresh.popFirst() else { return nil }
            if !taken.client.isGone { freshInARow = takesStarted ? 0 : freshInARow + 1 }
            leave(taken)
            return taken
        }

        mutating func enter(_ call: Waiting) {
            (here, bytes) = (here + 1, bytes + call.bytes)
            call.client.add(1, call.bytes)
        }

        private mutating func leave(_ call: Waiting) {
            guard !call.client.isGone else { return gone -= 1 }
            (here, bytes) = (here - 1, bytes - call.bytes)
            call.client.add(-1, -call.bytes)
        }

        /// Notes that the client of some calls has left. They are moved over once they are the larger part, so that a
        /// client which leaves costs no more than its calls did.
        mutating func forget(_ client: CallClient) {
            (here, gone, bytes) = (here - client.calls, gone + client.calls, bytes - client.bytes)
            guard gone > here else { return }
            fresh.removeAll { $0.client.isGone }
            started.removeAll { $0.client.isGone }
            gone = 0
        }
    }

    private var lines: [String: Line] = [:]
    /// The processes with calls, the next one first.
    private var turns = CallLine<String>()
    /// The clients that have called and have not left.
    private var clients: [String: CallClient] = [:]

    package init() {}

    /// The memory that one more call of a process may have; none where it has too many.
    package func room(of owner: String) -> Int { lines[owner]?.room ?? CallLimits.bytes }

    /// Adds a call, for which there is room.
    package mutating func add(_ call: Call, of client: String, by owner: String, bytes: Int) {
        let sender = clients[client] ?? CallClient(owner: owner)
        clients[client] = sender
        enter(Waiting(client: sender, call: call, bytes: bytes)) { $0.fresh.append($1) }
    }

    /// Takes the next call out; nil when none waits.
    package mutating func next() -> Waiting? {
        while let owner = turns.popFirst(), var line = lines.removeValue(forKey: owner) {
            var taken = line.popFirst()
            while taken?.client.isGone == true { taken = line.popFirst() }
            if !line.isEmpty {
                lines[owner] = line
                turns.append(owner)
            }
            if let taken { return taken }
        }
        return nil
    }

    /// Adds a call that was taken out, and is answered in steps from now on.
    ///
    /// - Returns: whether its process may have one more of these.
    package mutating func start(_ call: Waiting) -> Bool {
        let started = lines[call.client.owner]?.started.all.count { !$0.client.isGone } ?? 0
        guard started < CallLimits.started else { return false }
        enter(call) { $0.started.append($1) }
        return true
    }

    /// Puts a call back that was taken out for a step.
    package mutating func goOn(_ call: Waiting) { enter(call) { $0.started.putBack($1) } }

    private mutating func enter(_ call: Waiting, _ place: (inout Line, Waiting) -> Void) {
        guard !call.client.isGone else { return }
        let owner = call.client.owner
        if lines[owner] == nil { turns.append(owner) }
        lines[owner, default: Line()].enter(call)
        place(&lines[owner, default: Line()], call)
    }

    /// Drops the calls of a client that has left.
    package mutating func forget(_ name: String) {
        guard let client = clients.removeValue(forKey: name) else { return }
        client.isGone = true
        lines[client.owner]?.forget(client)
        guard lines[client.owner]?.isEmpty == true else { return }
        lines[client.owner] = nil
        turns.removeAll { $0 == client.owner }
    }
}

/// A client with the calls that wait.
private final class CallClient {
    let owner: String
    var (calls, bytes) = (0, 0)
    var isGone = false

    init(owner: String) { self.owner = owner }

    func add(_ calls: Int, _ bytes: Int) { (self.calls, self.bytes) = (self.calls + calls, self.bytes + bytes) }
}

/// Elements that wait in order. One that is taken out is held no longer, and the others are not moved.
struct CallLine<Element> {
    /// Those before `first` were taken out.
    private var places: [Element?] = []
    private var first = 0

    var count: Int { places.count - first }
    var isEmpty: Bool { count == 0 }
    var all: [Element] { places[first...].compactMap { $0 } }

    mutating func append(_ element: Element) { places.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = places[first]
        places[first] = nil
        first += 1
        // Of many empty places each is moved over once.
        if first > places.count / 2 {
            places.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Puts an element in front of the others.
    mutating func putBack(_ element: Element) {
        if first == 0 { places.insert(nil, at: 0) } else { first -= 1 }
        places[first] = element
    }

    mutating func removeAll(where isGone: (Element) -> Bool) {
        (places, first) = (all.filter { !isGone($0) }, 0)
    }
}

/// The most that one process may have waiting in a service.
package enum CallLimits {
    /// Calls. A program that lists a collection asks for all of its items before it reads an answer.
    package static let waiting = 16_384
    /// Calls that are looked at before a step of those that are answered in steps.
    package static let freshInARow = 8
    /// Calls that are answered in steps.
    package static let started = 128
    /// The memory of all its calls.
    package static let bytes = 48 << 20
    /// The memory of one: 100,000 paths take 12 MiB.
    package static let bytesOfCall = 16 << 20
}
