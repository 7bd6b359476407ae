import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The changes of the conversation: new items, fields of the open one, and deleted ones.
extension LinearTalk {
    /// The next line that is typed; nil at the end of the input.
    func nextLine() throws(CommandFailure) -> String? {
        let line: SecretBytes?
        do throws(SystemError) { line = try session.input.readLine() } catch {
            throw CommandFailure("standard input", error)
        }
        return line.map { $0.withSpan { $0.text(0, $0.count) ?? "" } }
    }

    /// Asks for a line. The end of the input means that the user has thought better of it.
    private func ask(_ question: Words) throws(CommandFailure) -> String {
        say(question)
        session.flush()
        guard let line = try nextLine() else { throw .canceled }
        return line
    }

    // MARK: - New items

    mutating func add(_ service: String) throws(CommandFailure) {
        let name = service.isEmpty ? try ask("Service:") : service
        guard !name.isEmpty else { return say("Nothing was added.") }
        let account = try ask("Account, or nothing:")
        let comment = try ask("Comment, or nothing:")
        let keychain = try keychainOfNew()
        let title = account.isEmpty ? DisplayName.shown(name) : DisplayName.shown("\(name) (\(account))")
        guard let value = try newValue(of: title, keeps: false) else { return say("Nothing was added.") }
        let attributes = [("svce", name), ("acct", account), ("icmt", comment)]
            .filter { !$0.1.isEmpty }.map { (code: $0.0, value: RawValue.string($0.1)) }
        try ItemAccess(session, Self.call).addItem(of: .genericPassword, attributes, value, in: keychain)
        try read()
        say("Added \(title).")
    }

    /// The keychain of a new item: where there are several, its number is asked for.
    private func keychainOfNew() throws(CommandFailure) -> ChosenKeychain {
        let usual = try session.usualKeychain(Self.call)
        let all = try session.searchList(Self.call)
        guard all.count > 1 else { return usual }
        for (index, keychain) in all.enumerated() { say("\(index + 1)  \(DisplayName.shown(keychain.name))") }
        let answer = try ask("The number of its keychain, or nothing for \(DisplayName.shown(usual.name)):")
        guard let number = Int(answer), all.indices.contains(number - 1) else { return usual }
        return all[number - 1]
    }

    /// The new value that is typed or made; nil where the old one stays.
    private func newValue(of title: String, keeps: Bool) throws(CommandFailure) -> SecretBytes? {
        let question: Words =
            keeps
            ? "Password: type new to type one, generate to have one made, or nothing to keep it."
            : "Password: type generate to have one made, or nothing to type one."
        let answer = try ask(question)
        if answer == "generate" { return GeneratedPassword.usual().bytes }
        if keeps, answer != "new" { return nil }
        let input = PasswordInput(session)
        let value =
            session.input.isTerminal ? try input.newItemPassword(of: title) : try input.passcode("password: ")
        return value.count > 0 ? value : nil
    }

    // MARK: - The open item

    mutating func edit() throws(CommandFailure) {
        let item = try current()
        guard item.itemClass.isPassword else { return say("Only passwords are edited here.") }
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: false)
        let place: (Words, String, AttributeID) =
            item.kind == .internet ? ("Server", "srvr", .server) : ("Service", "svce", .service)
        let fields = [
            place, ("Account", "acct", .account), ("Label", "labl", .label), ("Comment", "icmt", .comment),
        ]
        say("Type a new text, nothing to keep the old one, or - to clear it.")
        var changes: [(code: String, value: RawValue)] = []
        for (label, code, id) in fields {
            let now = DisplayName.shown(found.attributes.shownText(id))
            let answer = try ask("\(session.text(label)), now \(now.isEmpty ? session.text("none") : now):")
            if !answer.isEmpty { changes.append((code, .string(answer == "-" ? "" : answer))) }
        }
        let value = try newValue(of: item.title, keeps: true)
        guard !changes.isEmpty || value != nil else { return say("Nothing was changed.") }
        let current = try ItemAccess(session, Self.call).attributes(of: item, withValue: false)
        guard current.attributes.moment(.modificationDate) == found.attributes.moment(.modificationDate) else {
            return say("Another program has changed it meanwhile, so nothing was saved. Open it again.")
        }
        if AccessControl.asksTheUser(item.accessControl?.flags ?? 0) { say("This item asks you now.") }
        session.flush()
        try ItemAccess(session, Self.call).change(item, changes, value)
        opened = nil
        try read()
        say("Saved. The version before is in its history.")
    }

    // MARK: - Deleted items

    /// Reads the deleted items out.
    mutating func listDeleted() throws(CommandFailure) {
        _ = try readWhereLocked()
        var items: [ListedItem] = []
        try KeychainListing(session, Self.call).visitDeleted { items.append($0) }
        deleted = Array(items.sorted { $0.changed ?? 0 > $1.changed ?? 0 }.prefix(Self.mostRows))
        for (index, item) in deleted.enumerated() {
            let moment = item.changed.map { session.text(ItemDate(seconds: $0).short(now: session.now())) } ?? ""
            let account = item.account.isEmpty ? "" : ", " + DisplayName.shown(item.account)
            let name = item.name.isEmpty ? session.text("without a name") : DisplayName.shown(item.name)
            let kind = session.text(Words(item.formerKind.phrase))
            say("\(index + 1)  \(name)\(account), \(kind), \(session.text("deleted \(moment)"))")
        }
        say(deleted.isEmpty ? "Nothing was deleted lately." : "undelete and a number brings one back.")
    }

    /// Brings a deleted item back: one of those that were read out, or the one that was deleted here.
    mutating func undelete(_ number: String) throws(CommandFailure) {
        let chosen = Int(number).flatMap { deleted.indices.contains($0 - 1) ? deleted[$0 - 1] : nil }
        guard let item = number.isEmpty ? lastDeleted : chosen else {
            return say(
                number.isEmpty
                    ? "Nothing was deleted here. deleted reads older ones out."
                    : "undelete takes the number of a row of deleted.")
        }
        session.flush()
        try ItemAccess(session, Self.call).restore(item)
        (lastDeleted, deleted) = (nil, [])
        try read()
        say("Brought back \(item.title).")
    }
}
