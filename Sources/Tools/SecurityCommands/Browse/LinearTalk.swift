import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The state of a conversation with the keychain: the rows that were read out, and the item that is open.
struct LinearTalk {
    let session: Session
    private let options: BrowseOptions
    var catalog = ItemCatalog()
    var opened: ListedItem?
    var lastDeleted: ListedItem?
    /// The deleted items that were read out.
    var deleted: [ListedItem] = []
    /// The keychains that were locked when the items were read.
    private var locked: Set<ChosenKeychain> = []
    static let call = "browse"
    static let mostRows = 20

    init(_ session: Session, _ options: BrowseOptions) { (self.session, self.options) = (session, options) }

    func say(_ words: Words) { session.output.write(shown: session.text(words)) }

    mutating func begin() throws(CommandFailure) {
        try session.turn(to: .login, Self.call)
        let status = try session.status(Self.call)
        let isLocked = status.lockState != .unlocked && status.passcodeIsSet
        try read()
        let state = [session.text(isLocked ? "locked" : "unlocked"), status.protection.name].joined(separator: ", ")
        say("keychain login, \(state), \(catalog.count(of: nil)) items. Type ? for help.")
    }

    private func lockedKeychains() throws(CommandFailure) -> Set<ChosenKeychain> {
        var found: Set<ChosenKeychain> = []
        for keychain in try session.searchList(Self.call) {
            try session.turn(to: keychain, Self.call)
            let status = try session.status(Self.call)
            if status.lockState != .unlocked, status.passcodeIsSet { found.insert(keychain) }
        }
        return found
    }

    /// Reads the items again when a keychain was locked or unlocked since they were read, and forgets the open one.
    ///
    /// - Returns: whether that was so.
    mutating func readWhereLocked() throws(CommandFailure) -> Bool {
        guard try lockedKeychains() != locked else { return false }
        (opened, lastDeleted, deleted) = (nil, nil, [])
        catalog.clear()
        try read()
        return true
    }

    mutating func read() throws(CommandFailure) {
        locked = try lockedKeychains()
        catalog.own = try OwnGroups(session, Self.call)
        var (listing, items) = (KeychainListing(session, Self.call), ItemTable())
        try listing.visit { items.append($0) }
        catalog.replace(items: items)
    }

    func help() {
        let lines: [Words] = [
            "find WORDS: look for items. list: all items. open NUMBER: read one out.",
            "copy: copy the open item's password. reveal --print: print it.",
            "add SERVICE: add a password. edit: change the open item.",
            "delete: delete the open item, after a question. undelete: bring the last one back.",
            "deleted: all deleted items. undelete NUMBER: bring one of them back.",
            "lock, unlock: the keychain. quit: leave.",
        ]
        for line in lines { say(line) }
    }

    // MARK: - Looking

    mutating func find(_ words: String) throws(CommandFailure) {
        _ = try readWhereLocked()
        for keychain in try session.searchList(Self.call) where locked.contains(keychain) {
            say("The keychain \(DisplayName.shown(keychain.name)) is locked.")
        }
        catalog.look(for: words, now: session.now())
        if let problem = catalog.problem { return say("\(problem)") }
        for (index, item) in catalog.shown.prefix(Self.mostRows).enumerated() { say("\(index + 1)  \(sentence(item))") }
        let count = catalog.shown.count
        if count > Self.mostRows { say("These are the first \(Self.mostRows). Say more words to see fewer.") }
        say("\(count) of \(catalog.count(of: nil)) items.")
        if count == 0, let hint = catalog.filterHint { say(hint) }
    }

    func sentence(_ item: ListedItem) -> String {
        let account = item.account.isEmpty ? "" : ", " + session.text("account \(DisplayName.shown(item.account))")
        let changed = item.changed.map {
            ", " + session.text("changed \(session.text(ItemDate(seconds: $0).short(now: session.now())))")
        }
        let name = item.name.isEmpty ? session.text("without a name") : DisplayName.shown(item.name)
        let kind = session.text(Words(item.formerKind.phrase))
        return "\(name), \(kind)\(account), \(catalog.own.title(of: item.group))\(changed ?? "")"
    }

    mutating func open(_ number: String) throws(CommandFailure) {
        guard try !readWhereLocked() else { return say("A keychain was locked or unlocked. Type list.") }
        guard let row = Int(number), catalog.shown.indices.contains(row - 1), row <= Self.mostRows else {
            return say("open takes the number of a row, such as open 1.")
        }
        let item = catalog.shown[row - 1]
        opened = item
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: false)
        let moment = { [session, now = session.now()] (date: ItemDate) in session.text(date.long(now: now)) }
        for line in ShowItem.lines(found, item, catalog.own, moment: moment, say: session.text) {
            say("\(session.text(line.label)): \(line.text).")
        }
        if item.kind == .password || item.kind == .internet { say("The password is hidden.") }
    }

    // MARK: - Acting

    mutating func current() throws(CommandFailure) -> ListedItem {
        _ = try readWhereLocked()
        guard let opened else { throw .failed("no item is open", remedy: "Type find, then open and a number.") }
        try catalog.own.require(opened, Self.call)
        return opened
    }

    private mutating func value() throws(CommandFailure) -> SecretBytes {
        let item = try current()
        if AccessControl.asksTheUser(item.accessControl?.flags ?? 0) { say("This item asks you now.") }
        session.flush()
        return try ItemAccess(session, Self.call).attributes(of: item, withValue: true).password
    }

    mutating func copy() throws(CommandFailure) {
        if options.copiesByTerminal {
            try Clipboard(session).sendByTerminal(try value())
            return say("The terminal was asked to copy it. Nothing clears it.")
        }
        try Clipboard(session).copy(try value(), for: Clipboard.usualSeconds, once: false, nil)
        say("Copied. The clipboard clears in \(Clipboard.usualSeconds) seconds.")
    }

    mutating func reveal(_ word: String) throws(CommandFailure) {
        guard word == "--print" else {
            return say("This mode keeps what it prints on the screen. Use copy, or reveal --print if that is meant.")
        }
        let value = try value()
        session.output.write { buffer in
            value.withSpan { bytes in
                if value.isShown {
                    buffer.append(bytes)
                } else {
                    buffer.append(utf8: "0x")
                    buffer.append(hex: bytes)
                }
            }
            buffer.append(utf8: "\n")
        }
    }

    mutating func delete() throws(CommandFailure) {
        let item = try current()
        let way: Words =
            item.leavesVersions ? "undelete brings it back." : "It cannot be brought back."
        say("Delete \(item.title)? \(session.text(way)) Type the word delete:")
        session.flush()
        session.input.discardTyped()
        guard try nextLine() == "delete" else { return say("It was kept.") }
        try ItemAccess(session, Self.call).delete(item: item, leavingVersions: true)
        (opened, lastDeleted) = (nil, item.leavesVersions ? item : nil)
        try read()
        say("Deleted.")
    }

    func lock() throws(CommandFailure) {
        try session.turn(to: .login, Self.call)
        guard try session.status(Self.call).passcodeIsSet else {
            return say("There is no password, so it stays open: security set-keychain-password.")
        }
        _ = try session.device(.lock, Self.call)
        say("Locked.")
    }

    mutating func unlock() throws(CommandFailure) {
        try session.turn(to: .login, Self.call)
        guard let terminal = session.terminal else { throw .canceled }
        try UnlockOffer(session).unlock(at: terminal)
        try read()
        say("Unlocked, \(catalog.count(of: nil)) items.")
    }
}
