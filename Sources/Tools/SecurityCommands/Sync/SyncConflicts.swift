import KeychainModel
import KeychainWire
import SyncFormat

/// `security sync conflicts`: versions that have lost to another machine's change, whose author had not known them.
struct SyncConflicts {
    private let session: Session
    private let call: String
    private let machines: Machines

    /// - Parameter status: of the circle; nil where it was left since.
    init(_ session: Session, _ call: String, _ status: SyncStatus?) {
        (self.session, self.call, machines) = (session, call, Machines(status: status))
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

    /// Those of this command's items, in the order in which they have lost.
    private func conflicts() throws(CommandFailure) -> [Conflict] {
        try ItemSelection.everything.all(.history, call, session)
            .compactMap(ItemVersion.init).sorted { $0.ended < $1.ended }.compactMap(Conflict.init)
    }

    private func list(_ conflicts: [Conflict]) {
        if session.writesJSON { return session.output.write(.array(conflicts.map { $0.json(machines) })) }
        for conflict in conflicts { session.output.write("\(conflict.line(machines).printable)\n") }
        if conflicts.isEmpty { session.explain("No version has lost to a change that was made at the same time.") }
    }
}

extension SyncConflicts {
    /// The machines of the circle, one of which has written a version.
    struct Machines {
        let status: SyncStatus?

        /// In quotation marks where it is a name: a machine names itself.
        func name(_ machine: [UInt8]) -> String {
            let id = MemberID(machine)
            let name = plainName(id)
            return name.isEmpty ? id.text : name.quoted
        }

        fileprivate func plainName(_ id: MemberID) -> String {
            status?.machines.first { $0.id == id }?.name ?? ""
        }
    }

    /// A version that has lost.
    struct Conflict {
        let version: ItemVersion
        /// Its number in the history.
        let number: Int64
        let lost: LostVersion

        init?(_ version: ItemVersion) {
            guard case .data(let bytes)? = version.item.attributes[.lostVersion], bytes.count > 8,
                let lost = LostVersion(Array(bytes[8...]))
            else { return nil }
            self.version = version
            number = bytes[..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
            self.lost = lost
        }

        /// When the version was written that has won.
        private var won: String {
            CalendarDate(secondsSinceReferenceDate: Double(lost.won) / 1_000_000 - 978_307_200).iso8601
        }

        fileprivate func line(_ machines: Machines) -> String {
            ([String(number)] + version.facts + [
                "by \(machines.name(lost.loser)) \(version.began)", "lost to \(machines.name(lost.winner)) \(won)",
            ]).joined(separator: " ")
        }

        fileprivate func json(_ machines: Machines) -> JSONValue {
            .object([
                ("id", .number(number)), ("lost", .string(version.endedText)),
                ("loser", json(lost.loser, version.began, machines)), ("winner", json(lost.winner, won, machines)),
                ("class", .string(version.item.itemClass.code)),
                ("attributes", .object(ItemJSON.attributes(version.item.attributes, of: version.item.itemClass))),
            ])
        }

        private func json(_ machine: [UInt8], _ written: String, _ machines: Machines) -> JSONValue {
            let id = MemberID(machine)
            return .object([
                ("id", .string(id.text)), ("name", .string(machines.plainName(id))), ("written", .string(written)),
            ])
        }
    }
}
