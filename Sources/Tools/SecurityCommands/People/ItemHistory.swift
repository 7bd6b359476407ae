import CommandOptions
import KeychainModel
import KeychainWire

/// `history`, `undelete`, `restore-item`: what items were before they were changed or deleted, and bringing it back.
enum ItemHistory {
    private static let kept = [
        """
        Earlier versions are kept, sealed, for as many days as the setting history-days says (30), within bounds for \
        all items together. There are none of items of this device only (…ThisDeviceOnly, WhenPasscodeSet), and none \
        of deleted logins of git and docker.
        """
    ]

    static let list = Command(
        "history", "Show the earlier versions of items, and deleted items.",
        synopsis: "[-a account] [-c class] [-l label] [-s place] [-F]\nitem",
        options: ItemSelection.options + [
            CommandOption("F", word: "forget", "Drop the versions that were found, for good, in place of showing them.")
        ],
        notes: [
            """
            A line for each version: when it ended and how, on which other machine, what it was, and since when; never \
            a value. Only items of this command are shown; those that ask their user, only after the answer. An item \
            is named as for show.
            """
        ] + kept,
        examples: ["security history deploy/ci", "security history -s deploy -a ci"], operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let selection = try ItemSelection(arguments)
        if let word = arguments.operands.first {
            guard selection.isEmpty, !arguments.has("F") else { throw .usage("an item, or options that describe one") }
            return try show(of: try ItemName(word).resolved(session, "history"), session)
        }
        if arguments.has("F") { return try forget(selection, session) }
        let versions = try versions(selection, "history", session)
        try writeVersions(versions, session)
    }

    private static func writeVersions(_ versions: [ItemVersion], _ session: Session) throws(CommandFailure) {
        guard !versions.isEmpty else { throw .refused(call: "history", .noVersions) }
        let isOfCircle = versions.contains { $0.lost != nil }
        let machines = CircleMachines(isOfCircle ? try session.circle("history") : nil)
        for version in versions {
            if session.writesJSON {
                session.output.write(version.json(in: machines))
            } else {
                session.output.write("\(version.line(in: machines).printable)\n")
            }
        }
    }

    /// Shows the earlier versions of everything that a name describes, wholly or in part.
    private static func show(of name: ItemName, _ session: Session) throws(CommandFailure) {
        let all = try versions(.everything, "history", session)
        try writeVersions(all.filter { name.match(ListedItem($0.item, in: session.place)) != .none }, session)
    }

    /// Shows the earlier versions of one item.
    static func show(of item: ListedItem, _ session: Session) throws(CommandFailure) {
        try writeVersions(try versions(of: item, session), session)
    }

    /// The earlier versions of one item, in the order in which they ended.
    static func versions(of item: ListedItem, _ session: Session) throws(CommandFailure) -> [ItemVersion] {
        // An identity is a certificate and a key, which have versions of their own.
        guard item.itemClass != .identity else { return [] }
        try session.turn(to: item.keychain, "history")
        let items = try session.items("history") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.history)
            try builder.set("v_PersistentRef", item.query)
            try builder.set("m_Limit", .string("m_LimitAll"))
            try builder.set("r_Attributes", .boolean(true))
            return try builder.build()
        }
        return items.compactMap(ItemVersion.init).sorted { $0.ended < $1.ended }
    }

    static let undelete = Command(
        "undelete", "Bring a deleted item back.",
        synopsis: "item\n[-a account] [-c class] [-l label] [-s place]",
        options: ItemSelection.options,
        notes: [
            """
            Brings back the item that was deleted last among those that match, as it was, and shows it. Where there is \
            another one under the same name meanwhile, nothing is changed. Where the keychain has a password, an item \
            comes back after its user has given it, or a finger. An item is named as for rm.
            """
        ] + kept,
        examples: ["security undelete deploy/ci"], operands: 0...1, layer: .people
    ) { arguments, session throws(CommandFailure) in
        let selection = try ItemSelection(arguments)
        if let word = arguments.operands.first {
            guard selection.isEmpty else { throw .usage("an item, or options that describe one") }
            let name = try ItemName(word)
            return try session.asOneThing("undelete") { () throws(CommandFailure) in try undelete(name, session) }
        }
        // It is looked for first, and asking for what is found once is enough.
        try session.asOneThing("undelete") { () throws(CommandFailure) in try undelete(selection, session) }
    }

    private static func undelete(_ name: ItemName, _ session: Session) throws(CommandFailure) {
        let found = try NameSearch(session, "undelete", exactly: true).allDeleted([name])
        guard let item = found.first else { throw .refused(call: "undelete", .noVersions) }
        try ItemAccess(session, "undelete").restore(item)
        if session.writesJSON {
            return session.output.write(
                .object([("restored", .string(item.title)), ("ref", .string(item.encodedReference))]))
        }
        session.output.write(shown: session.text("Brought back \(item.title)."))
    }

    private static func undelete(_ selection: ItemSelection, _ session: Session) throws(CommandFailure) {
        let versions = try versions(selection, "undelete", session)
        guard let last = versions.last(where: { $0.end == .deleted }) else {
            throw .refused(call: "undelete", .noVersions)
        }
        let response = try session.send("undelete") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.restore)
            try builder.set("v_PersistentRef", last.item.reference)
            try builder.set("r_Attributes", .boolean(true))
            return try builder.build()
        }
        guard let item = response.items.first else { throw .refused(call: "undelete", .malformed("the item")) }
        let store = KeychainName.storePath(try session.status("undelete"))
        if session.writesJSON { return session.output.write(.object(ItemJSON.object(item, keychain: store))) }
        session.output.write { ItemDump.append(item, keychain: store, to: $0) }
    }

    static let restore = Command(
        "restore-item", "Give an item what it had at an earlier time.",
        synopsis: "-t time [-a account] [-c class] [-l label] [-s place]",
        options: [
            CommandOption(
                "t", word: "at", value: "time",
                "When: YYYY-MM-DDThh:mm:ssZ, as history shows it; seconds, or the whole time, may be left out.")
        ] + ItemSelection.options,
        notes: [
            """
            The item gets the attributes and the value that it had then. What it has now becomes an earlier version \
            itself. Where the keychain has a password, its user gives it first, or a finger.
            """
        ] + kept
    ) { arguments, session throws(CommandFailure) in
        let selection = try ItemSelection(arguments)
        guard let time = arguments.value("t"), !selection.isEmpty else { throw .usage(nil) }
        guard let moment = Moment(time.text) else {
            throw .usage("\"\(time.text)\" is not a time such as 2026-01-31T18:30:00Z")
        }
        try session.asOneThing("restore-item") { () throws(CommandFailure) in
            let item = try only(selection, session)
            // Times are shown with the milliseconds that are over: what began in this one is meant too.
            let asOf = moment.secondsSinceReferenceDate + 0.000_999
            try ItemAccess(session, "restore-item").restore(item.reference, asOf: asOf)
        }
        session.explain("What the item was until now is in its history.")
    }

    // MARK: - Requests

    /// The versions found, in the order in which they ended.
    private static func versions(
        _ selection: ItemSelection, _ call: String, _ session: Session
    ) throws(CommandFailure) -> [ItemVersion] {
        try selection.all(.history, call, session).compactMap(ItemVersion.init).sorted { $0.ended < $1.ended }
    }

    /// The one item that matches: which of several is meant is not guessed.
    private static func only(
        _ selection: ItemSelection, _ session: Session
    ) throws(CommandFailure) -> ItemResponse.Item {
        let items = try selection.all(.copyMatching, "restore-item", session)
        guard let item = items.first else { throw .refused(call: "restore-item", .nothingFound) }
        guard items.count == 1 else {
            throw .failed(
                "restore-item: \(items.count) items match.",
                remedy: "Say more about the one that is meant (-a, -s, -c).")
        }
        return item
    }

    private static func forget(_ selection: ItemSelection, _ session: Session) throws(CommandFailure) {
        guard !selection.isEmpty else { throw .usage(nil) }
        var isFound = false
        for request in try selection.requests(.forget, "history") {
            do throws(CommandFailure) {
                _ = try session.send(request, "history")
                isFound = true
            } catch { guard error.isStatus(.itemNotFound) else { throw error } }
        }
        guard isFound else { throw .refused(call: "history", .noVersions) }
    }
}

extension Refusal {
    fileprivate static let noVersions = Refusal(
        .itemNotFound, .notFound, "history", "There is no earlier version that matches.",
        do: "Nothing is kept of items of this device only, nor for longer than the setting history-days says.")
}
