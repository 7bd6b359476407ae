import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The recent decisions: one entry for each request, in rings of fixed size.
///
/// Anchored programs have a ring of their own: in one that all share, others would see from what their entries push out
/// that they asked.
///
/// An entry keeps the strings of the caller's identity as they are, so recording it allocates nothing. Refusals are
/// also written to the daemon's log, a few lines a second at most.
package final class AuditLog: Sendable {
    /// Takes one line about something that was refused; never a value.
    package typealias Writer = @Sendable (_ line: String) -> Void

    /// As many as a busy daemon sees in a few seconds, and a quiet one in days.
    static let capacity = 2048
    /// The longest name of a group that is kept.
    static let nameBytes = 256

    /// A request and its result.
    struct Entry {
        let caller: CallerIdentity
        /// The function or the command.
        let operation: StaticString
        let itemClass: ItemClass?
        /// The scope of the request; nil when it was refused before that was known.
        var scope: AuthorizedRequest.Scope?
        /// The group it named, where it was refused.
        private(set) var named: String?
        private(set) var status = KeychainStatus.success
        /// The rule that refused it.
        private(set) var rule = ""
        fileprivate var time = 0.0
        /// How many there had been with it.
        fileprivate var number: UInt64 = 0

        init(_ caller: CallerIdentity, _ operation: StaticString, _ itemClass: ItemClass? = nil, named: String? = nil) {
            (self.caller, self.operation, self.itemClass) = (caller, operation, itemClass)
            name(named)
        }

        mutating func name(_ group: String?) { named = group.map(AuditLog.shortened) }

        mutating func end(in refusal: Refusal) { (status, rule) = (refusal.status, refusal.rule.rawValue) }
    }

    /// Entries of which the latest are kept.
    private struct Ring {
        private var entries: [Entry] = []
        /// How many there have been.
        private(set) var count: UInt64 = 0

        mutating func record(_ entry: Entry) {
            // It takes memory when it is written to.
            if entries.isEmpty { entries.reserveCapacity(capacity) }
            let place = Int(count % UInt64(capacity))
            if place < entries.count { entries[place] = entry } else { entries.append(entry) }
            count += 1
        }

        /// The entries kept, from the oldest on.
        var inOrder: [Entry] {
            guard entries.count == capacity else { return entries }
            let oldest = Int(count % UInt64(capacity))
            return Array(entries[oldest...] + entries[..<oldest])
        }

        func latest(where isWanted: (Entry) -> Bool) -> Entry? {
            for step in 0..<UInt64(entries.count) {
                let entry = entries[Int((count - 1 - step) % UInt64(capacity))]
                if isWanted(entry) { return entry }
            }
            return nil
        }
    }

    private struct State {
        /// Of programs that are not anchored, and of those that are.
        var common = Ring()
        var anchored = Ring()
        /// By program, of one user or several.
        var rateLimits = LogPacesOfCallers<String>()

        var count: UInt64 { common.count + anchored.count }

        /// The entries that a viewer may see, each with its number for them, and how many there have been for them.
        func known(to viewer: CallerIdentity) -> (entries: [(number: UInt64, entry: Entry)], count: UInt64) {
            let entries = common.inOrder
            guard viewer.mayShowAnchored else {
                let first = common.count - UInt64(entries.count)
                return (entries.enumerated().map { (first + UInt64($0) + 1, $1) }, common.count)
            }
            let all = (entries + anchored.inOrder).sorted { $0.number < $1.number }
            return (all.map { ($0.number, $0) }, count)
        }
    }

    private let state: Lock<State>
    private let write: Writer?

    init(_ write: Writer?) {
        self.write = write
        state = Lock(State())
    }

    /// Notes what became of a request.
    func record(_ entry: Entry) {
        var entry = entry
        entry.time = Clock.secondsSinceReferenceDate
        let isWorthALine = write != nil && entry.isWorthALine
        let passed: Int? = state.withLock { state in
            entry.number = state.count + 1
            if entry.caller.isAnchored { state.anchored.record(entry) } else { state.common.record(entry) }
            return isWorthALine ? state.rateLimits.admit("\(entry.caller.user) \(entry.caller.program)") : nil
        }
        guard let passed, let write else { return }
        write(Self.line(entry) + (passed > 0 ? " (\(passed) more were refused before and not written)" : ""))
    }

    /// The entries after a number that a caller may see: its own program's, or everybody's. Requests of anchored
    /// programs are not even counted for others, who would learn from the numbers when they were made.
    func page(after number: UInt64, for viewer: CallerIdentity) -> DecisionPage {
        state.withLock { state in
            let (records, count) = state.known(to: viewer)
            let start = min(number, count)
            var page = DecisionPage(next: start)
            var bytes = 0
            for (number, record) in records where number > start && bytes < WireLimits.pageBytes {
                // Entries between this one and the last are gone.
                page.lost += number - page.next - 1
                page.next = number
                guard viewer.seesDecisions(of: record.caller) else { continue }
                let entry = Self.entry(record, number)
                bytes += entry.program.utf8.count + entry.groups.reduce(128) { $0 + $1.utf8.count }
                page.entries.append(entry)
            }
            return page
        }
    }

    /// The latest identity of a program. Nil when the program has not been seen lately, or the viewer may not see it.
    func identity(ofProgram program: String, for viewer: CallerIdentity) -> CallerIdentity? {
        state.withLock { state in
            let common = state.common.latest { $0.caller.program.hasBytes(of: program) }
            guard viewer.mayShowAnchored else { return common?.caller }
            let anchored = state.anchored.latest { $0.caller.program.hasBytes(of: program) }
            return [common, anchored].compactMap(\.self).max { $0.number < $1.number }?.caller
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
        seesEverything || (user == other.user && program.hasBytes(of: other.program))
    }

    /// Whether what belongs to all programs may be shown: attributes, groups and decisions, never values.
    var seesEverything: Bool { mayInspectAllGroups || user == 0 }
}

extension AuditLog.Entry {
    /// Whether a person who reads the log wants to know: nothing found, a duplicate or a question to the user is daily
    /// life.
    fileprivate var isWorthALine: Bool {
        ![.success, .itemNotFound, .duplicateItem, .authNeeded, .userCanceled].contains(status)
    }
}
