import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `migrate-store`: carries items from the store that the user had before the system service came to the service's,
/// or back.
///
/// The older store is the user's file, and may be forged: its items go into the groups of programs that their paths
/// alone name, and nowhere else. An item is taken away when its copy was found to be what it should be, not before.
struct MigrateStore {
    private let session: Session
    private let goesBack: Bool

    static let command = Command(
        "migrate-store", "Move what was stored before the system service came into the service's keychain.",
        synopsis: "[-b] [-n] [-y]",
        options: [
            CommandOption("b", word: "back", "Move items from the service's keychain into the user's own store."),
            CommandOption("n", word: "dry-run", "Show what would move and what would stay, and move nothing."),
            CommandOption("y", word: "yes", "Do not ask before items are moved."),
        ],
        notes: [
            """
            Moved are the items of programs that their paths alone name. Those of signed, entitled, sandboxed and \
            anchored programs and of units stay, and so does what asks its user and what cannot leave its enclave; all \
            of that is listed before the question. A moved item is new there: its dates are today's, and earlier \
            versions of it are dropped. An item that is there already stays where it is.
            """
        ]
    ) { arguments, session throws(CommandFailure) in
        let migration = MigrateStore(session: session, goesBack: arguments.has("b"))
        try migration.run(asks: !arguments.has("y"), onlyShows: arguments.has("n"))
    }

    static let call = "migrate-store"

    private func run(asks: Bool, onlyShows: Bool) throws(CommandFailure) {
        guard let older = session.olderStore else { throw Self.noService }
        guard goesBack || older.isMade else { throw Self.nothingOlder(in: older.folder) }
        let (old, new) = (older.end(session), try ServiceEnd(session).end)
        let (source, target) = goesBack ? (new, old) : (old, new)
        try source.open()
        var plan = try MigrationPlan(of: source)
        showPlan(plan, from: source, to: target)
        guard !onlyShows, plan.moving > 0 else { return report(plan, moved: 0) }
        let isConfirmed = try asks ? confirm(plan) : true
        guard isConfirmed else {
            throw .failed("nothing was moved", remedy: "Answer y, or add -y.")
        }
        try target.open()
        let moved = try plan.carry(from: source, to: target)
        try note(older, isEmptied: !goesBack && plan.leavesNothing)
        report(plan, moved: moved)
        if !plan.refused.isEmpty { throw .shown }
    }

    private func note(_ older: any OlderKeychain, isEmptied: Bool) throws(CommandFailure) {
        do throws(SystemError) { try older.note(isEmptied: isEmptied) } catch {
            throw CommandFailure("the note that the store is empty", error)
        }
    }

    private func confirm(_ plan: MigrationPlan) throws(CommandFailure) -> Bool {
        guard session.input.isTerminal, session.mayAsk, !session.writesJSON else { return false }
        session.flush()
        session.diagnostics.write("Move \(plan.moving) item\(plan.moving == 1 ? "" : "s")? [y/N] ")
        session.flush()
        do throws(SystemError) {
            let line = try session.input.readLine()
            return line?.withSpan { $0.count == 1 && ($0[0] | 0x20) == UInt8(ascii: "y") } ?? false
        } catch { throw CommandFailure("standard input", error) }
    }

    // MARK: - What is said

    private func showPlan(_ plan: MigrationPlan, from source: MigrationEnd, to target: MigrationEnd) {
        guard !session.writesJSON else { return }
        session.output.write("from: \(source.folder.printable)\nto:   \(target.folder.printable)\n")
        for (group, count) in plan.counts { session.output.write("moves: \(group.printable): \(count)\n") }
        for item in plan.staying { session.output.write("stays: \(item.text)\n") }
        session.output.write("Items of anchored programs are not shown; they stay.\n")
    }

    private func report(_ plan: MigrationPlan, moved: Int) {
        guard session.writesJSON else {
            for item in plan.refused { session.output.write("stays: \(item.text)\n") }
            return session.output.write("moved: \(moved)\n")
        }
        session.output.write(
            .object([
                ("moved", .number(Int64(moved))), ("moving", .number(Int64(plan.moving))),
                ("staying", .array((plan.staying + plan.refused).map(\.json))),
            ]))
    }

    private static let noService = CommandFailure.failed(
        "there is no store to move from or to", cause: "The system service does not keep this keychain.",
        remedy: "Nothing has to be moved; `security status` shows where the store is.")

    private static func nothingOlder(in folder: String) -> CommandFailure {
        .failed(
            "there is no older store", cause: "Nothing is in \(folder), or all of it was moved.",
            remedy: "For a store elsewhere, name it: KEYCHAIN_HOME=FOLDER security dump-keychain")
    }
}
