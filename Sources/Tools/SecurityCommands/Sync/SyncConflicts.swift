import KeychainModel
import KeychainWire
import SyncFormat

/// `security sync conflicts`: versions that have lost to another machine's change, whose author had not known them.
struct SyncConflicts {
    private let session: Session
    private let call: String
    private let machines: CircleMachines

    /// - Parameter status: of the circle; nil where it was left since.
    init(_ session: Session, _ call: String, _ status: SyncStatus?) {
        (self.session, self.call, machines) = (session, call, CircleMachines(status))
    }

    /// Shows them.
    ///
    /// - Parameter word: the number of the one that is to be restored in place of that.
    func run(restoring word: String?) throws(CommandFailure) {
        let conflicts = try conflicts()
        guard let word else { return list(conflicts) }
        guard let found = conflicts.first(where: { String($0.number) == word }) else {
            throw .failed(
                "there is no lost version \(word)",
                remedy: "`security sync conflicts` shows those that there are, each with its number.")
        }
        try session.asOneThing(call) { () throws(CommandFailure) in
            try ItemAccess(session, call).restore(lost: found.number, of: found.version.item.reference)
        }
        report(found)
    }

    private func report(_ restored: Conflict) {
        let title = ListedItem(restored.version.item, in: session.place).title
        if session.writesJSON {
            return session.output.write(.object([("restored", .string(title)), ("id", .number(restored.number))]))
        }
        let author = machines.name(restored.lost.loser)
        if !session.isQuiet {
            session.output.write("\(session.text("\(title) is again what \(author) has made of it").printable)\n")
        }
        session.explain("What the item was until now is in its history.")
    }

    /// How many there are, or why the keychain does not say it without a question to its user.
    func count() throws(CommandFailure) -> Result<Int, Refusal> {
        do throws(CommandFailure) { return .success(try conflicts(mayAsk: false).count) } catch {
            guard case .refused(_, let refusal) = error else { throw error }
            return .failure(refusal)
        }
    }

    /// Those of this command's items, in the order in which they have lost.
    private func conflicts(mayAsk: Bool = true) throws(CommandFailure) -> [Conflict] {
        try ItemSelection.everything.all(.history, call, session, mayAsk: mayAsk)
            .compactMap(ItemVersion.init).sorted { $0.ended < $1.ended }.compactMap(Conflict.init)
    }

    private func list(_ conflicts: [Conflict]) {
        if session.writesJSON { return session.output.write(.array(conflicts.map { $0.json(in: machines) })) }
        for conflict in conflicts { session.output.write("\(conflict.line(in: machines).printable)\n") }
        if conflicts.isEmpty { session.explain("No version has lost to a change that was made at the same time.") }
    }
}

extension SyncConflicts {
    /// A version that has lost.
    struct Conflict {
        let version: ItemVersion
        let winner: [UInt8]
        let lost: LostVersion.Conflict

        init?(_ version: ItemVersion) {
            guard let lost = version.lost, let conflict = lost.conflict else { return nil }
            (self.version, winner, self.lost) = (version, lost.winner, conflict)
        }

        /// Its number in the history.
        var number: Int64 { version.number }

        /// When the version was written that has won.
        private var won: String {
            CalendarDate(secondsSinceReferenceDate: Double(lost.won) / 1_000_000 - 978_307_200).iso8601
        }

        fileprivate func line(in machines: CircleMachines) -> String {
            ([String(number)] + version.facts + [
                "by \(machines.name(lost.loser)) \(version.began)", "lost to \(machines.name(winner)) \(won)",
            ]).joined(separator: " ")
        }

        fileprivate func json(in machines: CircleMachines) -> JSONValue {
            .object([
                ("id", .number(number)), ("lost", .string(version.endedText)),
                ("loser", machines.json(of: lost.loser, written: version.began)),
                ("winner", machines.json(of: winner, written: won)),
                ("class", .string(version.item.itemClass.code)),
                ("attributes", .object(ItemJSON.attributes(version.item.attributes, of: version.item.itemClass))),
            ])
        }
    }
}
