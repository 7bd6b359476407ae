/// Calls that wait for a service. Each process has a line of its own, and processes have their turns one after another:
/// however many calls a process has sent, others wait for one of them at most.
///
/// In a line, calls that nobody has looked at yet come first: most are short, and wait for no long answer. After so
/// many of them comes a step of those that are answered in steps. These come one after another, so that a process has
/// one answer in the making.
package struct CallQueue<Call> {
    /// A call with its client, and the process of the client.
    package struct Waiting {
        package let client, owner: String
        package var call: Call
        /// The memory that it takes.
        let bytes: Int
    }

    private struct Line {
        var fresh: ArraySlice<Waiting> = []
        var started: ArraySlice<Waiting> = []
        var bytes = 0
        /// The calls taken since the last step.
        var freshInARow = 0

        func hasRoom(for more: Int) -> Bool {
            fresh.count < CallLimits.waiting && bytes + more <= CallLimits.bytes
        }

        var isEmpty: Bool { fresh.isEmpty && started.isEmpty }
    }

    private var lines: [String: Line] = [:]
    /// The processes with calls, the next one first.
    private var turns: ArraySlice<String> = []

    package init() {}

    /// Adds a call.
    ///
    /// - Returns: whether its process may have one more.
    package mutating func add(_ call: Call, of client: String, by owner: String, bytes: Int) -> Bool {
        guard lines[owner]?.hasRoom(for: bytes) ?? (bytes <= CallLimits.bytes) else { return false }
        enter(Waiting(client: client, owner: owner, call: call, bytes: bytes)) { $0.fresh.append($1) }
        return true
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
    package mutating func goOn(_ call: Waiting) { enter(call) { $0.started.insert($1, at: $0.started.startIndex) } }

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
            line.bytes = (line.fresh + line.started).reduce(0) { $0 + $1.bytes }
            lines[owner] = line.isEmpty ? nil : line
        }
        turns.removeAll { lines[$0] == nil }
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
