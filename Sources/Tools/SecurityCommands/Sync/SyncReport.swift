import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The answers of `status`, `devices` and `fingerprint`.
struct SyncReport {
    private let task: SyncTask
    private let session: Session

    init(_ task: SyncTask) { (self.task, session) = (task, task.session) }

    func show() throws(CommandFailure) {
        let status = try task.status()
        let conflicts = try SyncConflicts(session, SyncCommand.call, status).count()
        if session.writesJSON { return session.output.write(json(status, conflicts)) }
        for (label, text) in lines(status) + lines(of: conflicts) { write(label, text) }
        let machines = CircleMachines(status)
        for machine in status.machines { write("machine:", line(machine, status, as: machines.name(machine.id.bytes))) }
    }

    func showDevices() throws(CommandFailure) {
        let status = try task.status()
        defer { noteNew(status) }
        if session.writesJSON { return session.output.write(.array(status.machines.map { json($0, status) })) }
        for machine in status.machines {
            let line = line(machine, status, as: name(of: machine))
            session.output.write("\(machine.id.text)  \(line.printable)\n")
        }
    }

    /// The user has seen the machines that are new.
    private func noteNew(_ status: SyncStatus) {
        let new = status.machines.filter { $0.flags.contains(.isNew) }.map(\.id)
        if !new.isEmpty { _ = try? task.ask(.known(new)) }
    }

    /// Machines of one circle show the same digits for it and for each machine that is in.
    func showFingerprint() throws(CommandFailure) {
        let status = try task.status()
        let present = status.machines.filter { !$0.flags.contains(.isRemoved) }
        let rows =
            [("circle", status.circle.bytes)]
            + present.map { ($0.name.isEmpty ? $0.id.text : $0.name, $0.id.bytes) }
        guard !session.writesJSON else {
            let members = rows.map { JSONValue.object([("name", .string($0.0)), ("digits", .string(digits($0.1)))]) }
            return session.output.write(.array(members))
        }
        session.output.write("\(digits(status.circle.bytes))  circle\n")
        for machine in present { session.output.write("\(digits(machine.id.bytes))  \(name(of: machine))\n") }
    }

    /// Eight groups of five decimal digits, each for two bytes.
    private func digits(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count - 1, by: 2).map { place in
            let text = String(Int(bytes[place]) << 8 | Int(bytes[place + 1]))
            return String(repeating: "0", count: 5 - text.count) + text
        }.joined(separator: " ")
    }

    private func write(_ label: String, _ text: String) {
        let name = session.text(label)
        let gap = String(repeating: " ", count: max(1, 12 - name.count))
        session.output.write("\(name)\(gap)\(session.text(text).printable)\n")
    }
}

// MARK: - Lines

extension SyncReport {
    private func lines(_ status: SyncStatus) -> [(String, String)] {
        var lines = [
            ("circle:", status.circle.text), ("place:", status.place), ("standing:", text(status.standing)),
            ("looked:", moment(status.looked)), ("sent:", moment(status.committed)),
        ]
        if status.isPaused { lines.append(("paused:", "nothing is sent or read; security sync resume goes on")) }
        if !status.problem.isEmpty { lines.append(("problem:", status.problem)) }
        if status.machines.contains(where: { $0.flags.contains(.isRolledBack) }) {
            lines.append(
                ("lost:", "nothing is sent, as the place has lost batches; if they stay away: security sync reset"))
        }
        return lines + waiting(status)
    }

    private func waiting(_ status: SyncStatus) -> [(String, String)] {
        let (unsent, held, future, unopened) = (status.unsent, status.held, status.future, status.unopened)
        let lines = [
            (unsent, "unsent:", "1 change waits to be sent", "\(unsent) changes wait to be sent"),
            (
                held, "locked:", "1 item waits until the keychain is unlocked",
                "\(held) items wait until the keychain is unlocked"
            ),
            (
                future, "future:", "1 item is dated far ahead of this machine's clock, and waits",
                "\(future) items are dated far ahead of this machine's clock, and wait"
            ),
            (
                unopened, "damaged:",
                "1 item or shelf does not open, so that no snapshot is made: restore it, or change it elsewhere",
                "\(unopened) items or shelves do not open, so that no snapshot is made: restore them, or change them "
                    + "elsewhere"
            ),
        ]
        return lines.filter { $0.0 > 0 }.map { count, name, one, several in (name, count == 1 ? one : several) }
    }

    private func lines(of conflicts: Result<Int, Refusal>) -> [(String, String)] {
        switch conflicts {
        case .success(0): []
        case .success(let count):
            [("conflicts:", "\(count), shown by security sync conflicts")]
        case .failure(let refusal): [("conflicts:", "not known: \(session.text(refusal.problem))")]
        }
    }

    private func text(_ standing: SyncStatus.Standing) -> String {
        switch standing {
        case .waitsToBeAdded:
            "not added yet: allow it on a machine that is in (add-device), then security sync now there and here"
        case .isIn: "in the circle"
        case .isRemoved: "removed by another machine; security sync leave, then join, if that was a mistake"
        case .isDoubled: "doubled: another copy of this keychain sends in its name; leave, then join again"
        }
    }

    private func line(_ machine: SyncStatus.Machine, _ status: SyncStatus, as shown: String) -> String {
        let isNameless = machine.name.isEmpty && !machine.flags.contains(.isRecoveryKey)
        let name = isNameless ? session.text("(no name)") : shown
        let facts = [machine.id == status.me ? "this machine" : nil] + facts(machine, status.me)
        let shown = facts.compactMap { $0 }.map { session.text($0) }
        return ([name] + shown).joined(separator: ", ")
    }

    /// In quotation marks: a machine names itself, and must not look like another, or like one that was removed.
    private func name(of machine: SyncStatus.Machine) -> String {
        machine.name.isEmpty ? machine.id.text : machine.name.quoted
    }

    private func facts(_ machine: SyncStatus.Machine, _ me: MemberID) -> [String?] {
        let meanings: [(SyncStatus.Machine.Flags, String)] = [
            (.isRecoveryKey, "a recovery key"), (.isRemoved, "removed"),
            (.isBehind, "behind: others have read what has not come here for a day"),
            (.needsLaterVersion, "writes what only a later release reads"),
            (.isForked, "HAS WRITTEN TWO BATCHES IN ONE PLACE"),
            (.isRolledBack, "THE PLACE SHOWS LESS OF IT THAN BEFORE"),
            (.isUnreadable, "has files that cannot be read"),
            (.isUnpublished, "not announced yet: repeat the command"),
            (.hasNotHeard, "has not said that it knows of each removal: one that is out may read what it writes"),
            (.isNew, "NEW: another machine has added it; security sync devices ends this note"),
        ]
        let isKey = machine.flags.contains(.isRecoveryKey)
        let time = moment(machine.heard)
        let heard = machine.heard == 0 ? nil : isKey ? "since \(time)" : "last read \(time)"
        let refused = machine.quarantined == 0 ? nil : "\(machine.quarantined) of its records were not taken"
        let shown = meanings.map { machine.flags.contains($0.0) ? $0.1 : nil }
        let silent = silence(of: machine, me).map { "silent for \($0) days: remove it if it is lost" }
        return isKey ? [shown[0], heard] + shown.dropFirst() : [heard] + shown + [refused, silent]
    }

    /// For how many days nothing of a machine was read; nil up to half a year, and for what writes nothing.
    private func silence(of machine: SyncStatus.Machine, _ me: MemberID) -> Int64? {
        guard machine.heard > 0, machine.id != me, machine.flags.isDisjoint(with: [.isRemoved, .isRecoveryKey]) else {
            return nil
        }
        let days = (Clock.realtimeNanoseconds / 1_000_000_000 - machine.heard) / 86_400
        return days > 180 ? days : nil
    }

    private func moment(_ seconds: Int64) -> String { seconds == 0 ? "never" : Self.date(seconds) }

    private static func date(_ seconds: Int64) -> String {
        CalendarDate(secondsSinceReferenceDate: Double(seconds) - 978_307_200).iso8601
    }
}

// MARK: - JSON

extension SyncReport {
    private func json(_ status: SyncStatus, _ conflicts: Result<Int, Refusal>) -> JSONValue {
        func number(_ count: UInt64) -> JSONValue { .number(Int64(clamping: count)) }
        return .object([
            ("circle", .string(status.circle.text)), ("me", .string(status.me.text)),
            ("place", .string(status.place)), ("standing", .string(word(status.standing))),
            ("paused", .boolean(status.isPaused)),
            ("problem", status.problem.isEmpty ? .null : .string(status.problem)),
            ("looked", jsonMoment(status.looked)), ("committed", jsonMoment(status.committed)),
            ("unsent", number(status.unsent)), ("held", number(status.held)), ("future", number(status.future)),
            ("unopened", number(status.unopened)),
            ("conflicts", json(of: conflicts)),
            ("machines", .array(status.machines.map { json($0, status) })),
        ])
    }

    private func json(of conflicts: Result<Int, Refusal>) -> JSONValue {
        switch conflicts {
        case .success(let count): .number(Int64(count))
        case .failure: .null
        }
    }

    private func json(_ machine: SyncStatus.Machine, _ status: SyncStatus) -> JSONValue {
        let flags: [(String, SyncStatus.Machine.Flags)] = [
            ("recoveryKey", .isRecoveryKey), ("removed", .isRemoved), ("behind", .isBehind),
            ("needsLaterVersion", .needsLaterVersion), ("forked", .isForked), ("rolledBack", .isRolledBack),
            ("unreadable", .isUnreadable), ("unpublished", .isUnpublished),
            ("notHeard", .hasNotHeard), ("new", .isNew),
        ]
        return .object(
            [
                ("id", .string(machine.id.text)), ("name", .string(machine.name)),
                ("me", .boolean(machine.id == status.me)), ("read", .number(Int64(clamping: machine.seq))),
                ("heard", jsonMoment(machine.heard)),
                ("quarantined", .number(Int64(clamping: machine.quarantined))),
                ("silent", .boolean(silence(of: machine, status.me) != nil)),
            ] + flags.map { ($0.0, .boolean(machine.flags.contains($0.1))) })
    }

    private func jsonMoment(_ seconds: Int64) -> JSONValue { seconds == 0 ? .null : .string(Self.date(seconds)) }

    private func word(_ standing: SyncStatus.Standing) -> String {
        switch standing {
        case .waitsToBeAdded: "waits"
        case .isIn: "in"
        case .isRemoved: "removed"
        case .isDoubled: "doubled"
        }
    }
}
