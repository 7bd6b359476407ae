/// Calls that wait for a service. Each process has a line of its own, and processes have their turns one after another:
/// however many calls a process has sent, others wait for one of them at most.
///
/// In a line, calls that nobody has looked at yet come first: most are short, and wait for no long answer. After so
/// many of them comes a step of those that are answered in steps. These come one after another, so that a process has one
/// answer in the making.
package struct CallQueue<Call> {
    /// A call with its client, and the process of the client.
    package struct Waiting {
        package let client, owner: String
        package var call: Call
        /// The memory that it takes.
        let bytes: Int
    }

    private struct Line {
        var fresh = CallLine<Waiting>()
        var started = CallLine<Waiting>()
        var bytes = 0
        /// The calls taken since the last step.
        var freshInARow = 0

        /// The memory that one more call may have.
        var room: Int { fresh.count < CallLimits.waiting ? CallLimits.bytes - bytes : 0 }

        var isEmpty: Bool { fresh.isEmpty && started.isEmpty }
    }

    private var lines: [String: Line] = [:]
    /// The processes with calls, the next one first.
    private var turns = CallLine<String>()

    package init() {}

    /// The memory that one more call of a process may have; none where it has too many.
    package func room(of owner: String) -> Int { lines[owner]?.room ?? CallLimits.bytes }

    /// Adds a call, for which there is room.
    package mutating func add(_ call: Call, of client: String, by owner: String, bytes: Int) {
        enter(Waiting(client: client, owner: owner, call: call, bytes: bytes)) { $0.fresh.append($1) }
    }

    /// Takes the next call out; nil when none waits.
    package mutating func next() -> Waiting? {
        guard let owner = turns.popFirst(), var line = lines.removeValue(forKey: owner) else { return nil }
        let isStepDue = line.freshInARow >= CallLimits.freshInARow && !line.started.isEmpty
        let takesStarted = line.fresh.isEmpty || isStepDue
        let taken = takesStarted ? line.started.popFirst() : line.fresh.popFirst()
        line.freshInARow = takesStarted ? 0 : line.freshInARow + 1
        line.bytes -= taken?.bytes ?? 0
        if !line.isEmpty {
            lines[owner] = line
            turns.append(owner)
        }
        return taken
    }

    /// Adds a call that was taken out, and is answered in steps from now on.
    ///
    /// - Returns: whether its process may have one more of these.
    package mutating func start(_ call: Waiting) -> Bool {
        guard lines[call.owner]?.started.count ?? 0 < CallLimits.started else { return false }
        enter(call) { $0.started.append($1) }
        return true
    }

    /// Puts a call back that was taken out for a step.
    package mutating func goOn(_ call: Waiting) { enter(call) { $0.started.putBack($1) } }

    private mutating func enter(_ call: Waiting, _ place: (inout Line, Waiting) -> Void) {
        if lines[call.owner] == nil { turns.append(call.owner) }
        lines[call.owner, default: Line()].bytes += call.bytes
        place(&lines[call.owner, default: Line()], call)
    }

    /// Drops the calls of a client that has left.
    package mutating func forget(_ client: String) {
        for (owner, var line) in lines {
            line.fresh.removeAll { $0.client == client }
            line.started.removeAll { $0.client == client }
            line.bytes = (line.fresh.all + line.started.all).reduce(0) { $0 + $1.bytes }
            lines[owner] = line.isEmpty ? nil : line
        }
        turns.removeAll { lines[$0] == nil }
    }
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
