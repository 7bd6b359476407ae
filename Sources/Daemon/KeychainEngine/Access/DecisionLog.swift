import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// What was decided lately: one entry for each request, in a ring that never grows.
///
/// An entry takes the strings of the caller's identity as they are, so that noting it allocates nothing. What is refused is
/// also written to the daemon's log, a few lines a second at most.
package final class DecisionLog: Sendable {
    /// Takes one line about something that was refused; never a value.
    package typealias Writer = @Sendable (_ line: String) -> Void

    /// As many as a busy daemon sees in a few seconds, and a quiet one in days.
    static let capacity = 2048
    /// The longest name of a group that is kept.
    static let nameBytes = 256

    /// What was asked and what became of it.
    struct Entry {
        let caller: CallerIdentity
        /// The function or the command.
        let operation: StaticString
        let itemClass: ItemClass?
        /// What it could touch; nil when it was refused before that was known.
        var scope: AuthorizedRequest.Scope?
        /// The group it named, where it was refused.
        private(set) var named: String?
        private(set) var status = KeychainStatus.success
        /// The rule that refused it.
        private(set) var rule = ""
        fileprivate var time = 0.0

        init(_ caller: CallerIdentity, _ operation: StaticString, _ itemClass: ItemClass? = nil, named: String? = nil) {
            (self.caller, self.operation, self.itemClass) = (caller, operation, itemClass)
            name(named)
        }

        mutating func name(_ group: String?) { named = group.map(DecisionLog.shortened) }

        mutating func end(in refusal: Refusal) { (status, rule) = (refusal.status, refusal.rule.rawValue) }
    }

    private struct State {
        var ring: [Entry] = []
        /// How many there have been, and how many of them of programs that are not anchored.
        var count: UInt64 = 0
        var commonCount: UInt64 = 0
        var pace = LogPace()
    }

    private let state: Lock<State>
    private let write: Writer?

    init(_ write: Writer?) {
        self.write = write
        var state = State()
        state.ring.reserveCapacity(Self.capacity)
        self.state = Lock(state)
    }

    /// Notes what became of a request.
    func note(_ entry: Entry) {
        let now = Clock.secondsSinceReferenceDate
        let isWorthALine = write != nil && entry.isWorthALine
        let passed: Int? = state.withLock { state in
            let place = Int(state.count % UInt64(Self.capacity))
            if place < state.ring.count { state.ring[place] = entry } else { state.ring.append(entry) }
            state.ring[place].time = now
            state.count += 1
            if !entry.caller.isAnchored { state.commonCount += 1 }
            return isWorthALine ? state.pace.admit() : nil
        }
        guard let passed, let write else { return }
        write(Self.line(entry) + (passed > 0 ? " (\(passed) more were refused before and not written)" : ""))
    }

    /// The entries after a number that a caller may see: its own program's, or everybody's. What anchored programs asked is not even
    /// counted for others, who would learn from the numbers when they did.
    func page(after number: UInt64, for viewer: CallerIdentity) -> DecisionPage {
        state.withLock { state in
            let isComplete = viewer.mayShowAnchored
            let records = Self.inOrder(state.ring, count: state.count).filter { isComplete || !$0.caller.isAnchored }
            let count = isComplete ? state.count : state.commonCount
            let first = count - UInt64(records.count)
            let start = max(min(number, count), first)
            var page = DecisionPage(next: start, lost: number < first ? first - number : 0)
            var bytes = 0
            for record in records.dropFirst(Int(start - first)) where bytes < WireLimits.pageBytes {
                page.next += 1
                guard viewer.seesDecisions(of: record.caller) else { continue }
                let entry = Self.entry(record, page.next)
                bytes += entry.program.utf8.count + entry.groups.reduce(128) { $0 + $1.utf8.count }
                page.entries.append(entry)
            }
            return page
        }
    }

    /// The ring from its oldest entry on.
    private static func inOrder(_ ring: [Entry], count: UInt64) -> [Entry] {
        guard ring.count == capacity else { return ring }
        let oldest = Int(count % UInt64(capacity))
        return Array(ring[oldest...] + ring[..<oldest])
    }

    /// The latest identity that a program had; nil when it has not been seen lately, or not for whom it is looked up.
    func identity(ofProgram program: String, for viewer: CallerIdentity) -> CallerIdentity? {
        state.withLock { state in
            for step in 0..<UInt64(state.ring.count) {
                let record = state.ring[Int((state.count - 1 - step) % UInt64(Self.capacity))]
                if record.caller.isAnchored, !viewer.mayShowAnchored { continue }
                if record.caller.program == program { return record.caller }
            }
            return nil
        }
    }

    private static func entry(_ record: Entry, _ number: UInt64) -> DecisionEntry {
        DecisionEntry(
            number: number, time: record.time, process: record.caller.process, user: record.caller.user,
            program: record.caller.program, provenance: record.caller.provenance.description,
            isAnchored: record.caller.isAnchored, operation: record.operation.description,
            itemClass: record.itemClass, groups: groups(record), status: record.status.rawValue, rule: record.rule)
    }

    private static func groups(_ record: Entry) -> [String] {
        if let named = record.named { return [named] }
        switch record.scope {
        case .groups(let groups): return groups.prefix(16).map(shortened)
        case .allGroups: return [AccessGroup.any]
        case nil: return []
        }
    }

    private static func line(_ record: Entry) -> String {
        let caller = record.caller
        let group = groups(record).first.map { " (\($0))" } ?? ""
        let text =
            "refused \(record.operation) of \(caller.program), process \(caller.process) of user \(caller.user), "
            + "\(caller.provenance): \(record.rule)\(group)"
        // A path or a group must not look like another line.
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : $0 }))
    }

    fileprivate static func shortened(_ name: String) -> String {
        name.utf8.count <= nameBytes ? name : String(decoding: name.utf8.prefix(nameBytes), as: UTF8.self) + "…"
    }
}

extension CallerIdentity {
    /// A program sees its own decisions; root, and the command that looks at all groups, everybody's.
    func seesDecisions(of other: CallerIdentity) -> Bool {
        seesEverything || (user == other.user && program == other.program)
    }

    /// Whether what belongs to all programs may be shown: attributes, groups and decisions, never values.
    var seesEverything: Bool { mayInspectAllGroups || user == 0 }
}

extension DecisionLog.Entry {
    /// Whether a person who reads the log wants to know: nothing found, a duplicate or a question to the user is daily life.
    fileprivate var isWorthALine: Bool {
        ![.success, .itemNotFound, .duplicateItem, .authNeeded, .userCanceled].contains(status)
    }
}
