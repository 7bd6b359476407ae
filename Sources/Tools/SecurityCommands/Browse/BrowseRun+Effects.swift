import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalScreen

/// The effects of keys.
extension BrowseRun {
    private static let call = "browse"

    func perform(_ effect: Browser.Effect) throws(SystemError) {
        switch effect {
        case .quit: isDone = true
        case .suspend: try suspend()
        case .redraw: forgetScreen()
        case .hide: try hideSecret()
        case .reload: read()
        default:
            do throws(CommandFailure) {
                try answered { () throws(CommandFailure) in try request(effect) }
            } catch { show(failure: error, of: effect) }
        }
    }

    private func request(_ effect: Browser.Effect) throws(CommandFailure) {
        switch effect {
        case .readItem(let mark): try readItem(mark.item)
        case .readHistory(let mark): try readHistory(of: mark.item)
        case .readUses(let mark): try readUses(of: mark.item)
        case .readTrust(let mark): try readTrust(of: mark.item)
        case .readDeleted: try readDeleted()
        case .reveal(let mark): try reveal(mark.item)
        case .spell: try spell()
        case .export(let mark, let path, let replaces): try export(mark.item, to: path, replacing: replaces)
        case .copy(let mark): try copy(mark.item)
        case .copyReference(let mark): try copyReference(to: mark.item)
        case .delete(let mark): try delete(mark.item)
        case .purge(let mark): try purge(mark.item)
        case .restore(let mark): try restore(mark.item)
        case .revert(let mark, let moment): try revert(mark.item, to: moment)
        case .lock: try lock()
        case .unlock: try unlock()
        case .save(let form, let overwrites): try save(form, overwrites)
        case .quit, .suspend, .redraw, .hide, .reload: break
        }
    }

    /// A failure in three lines; a keychain that is locked or gone has a state of its own.
    func show(failure: CommandFailure, of effect: Browser.Effect? = nil) {
        // A dialog on top of a value must not keep it there.
        if browser.hideSecret() { secret = nil }
        browser.removeUnreadForms()
        if failure.isLocked {
            browser.lockDown()
        } else if failure.isStatus(.userCanceled) {
            browser.note = "Nothing was changed."
        } else if failure.isLate, let effect, !effect.isWrite {
            // The next look that has an answer reads what is missing.
            (browser.note, misses) = ("The keychain does not answer.", max(1, misses))
        } else if failure.isStatus(.notAvailable), !failure.isOfUser {
            browser.lost = FailureText(failure)
        } else if browser.status.isLocked {
            browser.refusal = FailureText(failure)
        } else {
            browser.layers.append(.failure(FailureText(failure, isOfVersion: effect?.isOfVersion ?? false)))
        }
    }

    func access() -> ItemAccess { ItemAccess(session, Self.call) }

    // MARK: - Reading

    /// Reads all items, and takes keys meanwhile.
    func read() {
        do throws(CommandFailure) { try readAgain() } catch { show(failure: error) }
    }

    func readAgain() throws(CommandFailure) {
        defer { browser.reading = nil }
        // Nobody looks at the time or at the keychain meanwhile.
        try eraseSecret()
        try readAll()
    }

    private func readAll() throws(CommandFailure) {
        (browser.lost, browser.refusal) = (nil, nil)
        browser.reading = 0
        try answered { () throws(CommandFailure) in
            browser.keychains = try session.searchList(Self.call)
            browser.usualKeychain = try session.usualKeychain(Self.call)
            try readStatus()
            guard !browser.status.isLocked else { return }
            browser.bringBackForms()
            browser.catalog.own = try OwnGroups(session, Self.call)
        }
        guard !browser.status.isLocked else { return }
        browser.locked = lockedKeychains(untilKnown: true)
        beginFollowing()
        try session.asking(within: nil) { () throws(CommandFailure) in try readItems() }
        try answered { () throws(CommandFailure) in try readMissing() }
    }

    private func readItems() throws(CommandFailure) {
        var (listing, items) = (KeychainListing(session, Self.call, without: Set(silence.keys)), ItemTable())
        session.unopenedKeychains = []
        try listing.visit(ItemClass.stored + [.identity]) { (item) throws(CommandFailure) in
            items.append(item)
            if items.count % Self.progress == 0 { try showProgress(items) }
        }
        browser.catalog.replace(items: items)
        if let unopened = session.unopenedKeychains.first {
            // Of a path, one line would have the beginning alone.
            browser.note = "the keychain \(DisplayName.shown(unopened.name)) does not open"
        }
        if items.count == 0, !listing.locked.isEmpty { browser.lockDown() }
    }

    /// Reads what the screens still lack, because there was no answer before.
    func readMissing() throws(CommandFailure) {
        guard !browser.status.isLocked else { return }
        if browser.catalog.scope.kind == .deleted { try readDeleted() }
        guard case .detail(let detail)? = browser.layers.last else { return }
        for effect in detail.effects { try request(effect) }
    }

    private static let progress = 500

    /// Shows the first items, and the number of those that were read so far.
    private func showProgress(_ items: ItemTable) throws(CommandFailure) {
        // The items that are shown stay until all were read again.
        if items.count == Self.progress, browser.catalog.isEmpty { browser.catalog.replace(items: items) }
        browser.reading = items.count
        do throws(SystemError) {
            try takeInput(waiting: 0)
            try draw()
        } catch { throw CommandFailure("the terminal", error) }
        guard isDone || waiting.contains(.quit) else { return }
        isDone = true
        throw .shown
    }

    func readStatus() throws(CommandFailure) {
        let keychain = browser.shownKeychain
        try session.turn(to: keychain, Self.call)
        let status = try session.status(Self.call)
        browser.statusKeychain = keychain
        browser.status = .init(
            isLocked: browser.isViewLocked || status.lockState != .unlocked && status.passcodeIsSet,
            hasPassword: status.passcodeIsSet,
            protection: status.protection.name, wait: status.retryAfter)
        // These daemons see which program it is all the same.
        if CurrentProcess.user == 0 || status.isOfService, !isMemoryHidden { try hideMemory() }
    }

    func readItem(_ item: ListedItem) throws(CommandFailure) {
        guard item.kind != .deleted else { return showDeleted(item) }
        guard browser.layers.contains(where: { $0.isUnread(item) }) else { return }
        let found = try access().attributes(of: item, withValue: false)
        browser.fillForm(item, Self.texts(of: found))
        let lines = lines(of: found, item)
        browser.change(item) { $0.lines = lines }
        guard item.hasCertificate, browser.catalog.own.have(item.group) else { return }
        let more = try CertificateLines.lines(of: item, session, Self.call, moment: shownMoment)
        browser.change(item) { $0.lines? += more }
    }

    /// The attributes that a form has, by their codes.
    private static func texts(of found: ItemResponse.Item) -> [String: String] {
        let codes: [(String, AttributeID)] = [
            ("svce", .service), ("srvr", .server), ("acct", .account), ("labl", .label), ("icmt", .comment),
            ("agrp", .accessGroup),
        ]
        return Dictionary(uniqueKeysWithValues: codes.map { ($0.0, found.attributes.shownText($0.1)) })
    }

    /// All there is of a deleted item is in the list.
    private func showDeleted(_ item: ListedItem) {
        let lines = [
            ("Item", session.text(Words(item.formerKind.phrase))),
            ("Deleted", item.changed.map { shownMoment(ItemDate(seconds: $0)) } ?? ""),
            ("Service", DisplayName.shown(item.name)),
            ("Account", DisplayName.shown(item.account)), ("Label", DisplayName.shown(item.label)),
            ("Belongs to", browser.catalog.own.title(of: item.group)), ("Opens", item.protection),
        ].filter { !$0.1.isEmpty }.map { (label: $0.0, text: $0.1) }
        browser.change(item) { $0.lines = lines }
    }

    private func lines(of found: ItemResponse.Item, _ item: ListedItem) -> [(label: String, text: String)] {
        ShowItem.lines(found, item, browser.catalog.own, moment: shownMoment, say: session.text)
            + KeyLines.lines(of: found, say: session.text)
    }

    private var shownMoment: (ItemDate) -> String {
        { [session, now = session.now()] in session.text($0.long(now: now)) }
    }

    func readDeleted() throws(CommandFailure) {
        var items = ItemTable()
        do throws(CommandFailure) {
            try KeychainListing(session, Self.call, without: Set(silence.keys)).visitDeleted { items.append($0) }
        } catch { if !error.isStatus(.itemNotFound) { throw error } }
        browser.catalog.replace(deleted: items)
    }

    // MARK: - Values

    /// Shows a value, unless something has come that hides one since it was asked for.
    private func reveal(_ item: ListedItem) throws(CommandFailure) {
        guard browser.isWaiting(for: item) else { return }
        guard mayReveal else {
            throw .failed(
                "browse: the value is not shown here",
                cause: "This terminal has one screen, and keeps what was drawn on it.",
                remedy: "Copy it with c, or use `security show -p`.")
        }
        let value = try value(of: item)
        guard let lines = SecretLines(value, room: secretRoom) else {
            throw .failed(
                "browse: the value is too long for this screen",
                cause: "It has several lines, or more characters than there is room for.",
                remedy: "Copy it with c, widen the window or the pane, or use `security show -p`.")
        }
        // Where its user was asked, nobody has taken keys.
        browser.change(item) { $0.secret = .asking }
        do throws(SystemError) { try takeAllInput() } catch { throw CommandFailure("the terminal", error) }
        guard browser.isWaiting(for: item), !isDone else { return }
        let shown = ItemDetail.Secret.shown(until: session.now() + ItemDetail.shownTime, columns: lines.columns)
        browser.change(item) { ($0.page, $0.secret) = (.attributes, shown) }
        secret = lines
    }

    /// The value of an item. One that asks its user has the screen given away meanwhile.
    private func value(of item: ListedItem) throws(CommandFailure) -> SecretBytes {
        try browser.catalog.own.require(item, Self.call)
        // Its daemon has answered before, and knows which program this is.
        try hideMemory()
        let read = { () throws(CommandFailure) in
            try self.access().attributes(of: item, withValue: true).password
        }
        guard AccessControl.asksTheUser(item.accessControl?.flags ?? 0) else { return try read() }
        return try givingTerminal("Waiting for the answer to the prompt of \(item.title).", read)
    }

    private func copy(_ item: ListedItem) throws(CommandFailure) {
        try requireClipboard()
        try put(try value(of: item), "Copied; the clipboard clears in 45 s.")
    }

    private func copyReference(to item: ListedItem) throws(CommandFailure) {
        guard let reference = item.uri else { return browser.note = "This item has no reference." }
        try requireClipboard()
        try put(SecretBytes(copying: Array(reference.utf8).span), "The reference was copied.")
    }

    /// Says what can be done where there is no clipboard, before anybody is asked for a value.
    private func requireClipboard() throws(CommandFailure) {
        guard !options.copiesByTerminal, !Clipboard(session).hasScreen else { return }
        let way = mayReveal ? "r shows the value for 30 s." : "`security show -p` prints the value."
        throw .failed(
            "browse: there is no clipboard here", cause: "Neither WAYLAND_DISPLAY nor DISPLAY is set.",
            remedy: "\(way) `security browse --osc52` has the terminal copy, where it can.")
    }

    private func put(_ value: SecretBytes, _ note: Words) throws(CommandFailure) {
        if options.copiesByTerminal {
            try Clipboard(session).sendByTerminal(value)
            browser.note = "The terminal was asked to copy it. Nothing clears it."
        } else {
            try Clipboard(session).copy(value, for: Clipboard.usualSeconds, once: false, nil)
            browser.note = note
        }
    }

    // MARK: - Changes

    private func delete(_ item: ListedItem) throws(CommandFailure) {
        try browser.catalog.own.require(item, Self.call)
        try changing(item) { () throws(CommandFailure) in
            try self.access().delete(item: item, leavingVersions: true)
        }
        browser.layers.removeAll()
        browser.lastDeleted = item.leavesVersions ? item : nil
        _ = try readOwnChanges()
        browser.note = item.leavesVersions ? "Deleted. u brings it back." : "Deleted."
    }

    private func purge(_ item: ListedItem) throws(CommandFailure) {
        try browser.catalog.own.require(item, Self.call)
        try changing(item) { () throws(CommandFailure) in
            if item.kind == .deleted {
                try self.requireDeleted(item)
                try self.access().forget(item)
            } else {
                try self.access().delete(item: item, leavingVersions: false)
            }
        }
        browser.layers.removeAll()
        _ = try readOwnChanges()
        if item.kind == .deleted { try readDeleted() }
        browser.note = "Deleted for ever."
    }

    /// Another program may have brought it back, and its versions are those of a living item then.
    private func requireDeleted(_ item: ListedItem) throws(CommandFailure) {
        try readDeleted()
        let deleted = browser.catalog.deleted
        guard deleted.numbers(of: [item.reference], in: item.keychain).isEmpty else { return }
        throw .failed("browse: the item is not deleted any more", remedy: "Look at it under All.")
    }

    private func restore(_ item: ListedItem) throws(CommandFailure) {
        try bringBack(item, asOf: nil)
        browser.lastDeleted = nil
        browser.layers.removeAll { $0.item?.isSame(as: item) ?? false }
        _ = try readOwnChanges()
        browser.catalog.select(item)
        browser.note = "Brought back."
    }

    /// Gives an item what it had at a moment.
    private func revert(_ item: ListedItem, to moment: Double) throws(CommandFailure) {
        try browser.catalog.own.require(item, Self.call)
        try bringBack(item, asOf: moment)
        _ = try readOwnChanges()
        browser.note = "Brought back. Its state until now is in its history."
    }

    private func bringBack(_ item: ListedItem, asOf moment: Double?) throws(CommandFailure) {
        try session.turn(to: item.keychain, Self.call)
        let bringBack = { () throws(CommandFailure) in try self.access().restore(item, asOf: moment) }
        // With a password, what was deleted comes back in the presence of its user.
        if try session.status(Self.call).passcodeIsSet {
            try givingTerminal("Waiting for the answer to the prompt of \(item.title).", bringBack)
        } else {
            try changing(item, bringBack)
        }
    }

    func changing(_ item: ListedItem, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        guard AccessControl.asksTheUser(item.accessControl?.flags ?? 0) else { return try body() }
        try givingTerminal("Waiting for the answer to the prompt of \(item.title).", body)
    }

    private func lock() throws(CommandFailure) {
        // The state that is shown may be that of the keychain which was chosen before.
        try readStatus()
        guard browser.status.hasPassword else {
            browser.note = "There is no password, so it stays open: security set-keychain-password."
            return
        }
        try session.turn(to: browser.shownKeychain, Self.call)
        _ = try session.device(.lock, Self.call)
        browser.lockDown()
        screen.forget()
    }

    private func unlock() throws(CommandFailure) {
        try session.turn(to: browser.shownKeychain, Self.call)
        guard browser.status.hasPassword else {
            browser.isViewLocked = false
            return read()
        }
        try hideMemory()
        // The view may be locked while the keychain is not.
        try givingTerminal("The keychain \(DisplayName.shown(browser.shownKeychain.name)) opens with its password.") {
            () throws(CommandFailure) in
            guard let terminal = session.terminal else { throw .canceled }
            try UnlockOffer(session).unlock(at: terminal)
        }
        browser.isViewLocked = false
        read()
    }
}
