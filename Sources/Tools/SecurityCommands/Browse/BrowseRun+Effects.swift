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
        case .redraw: try screen.erase()
        case .hide: try hideSecret()
        case .reload: read()
        default:
            do throws(CommandFailure) { try request(effect) } catch { show(failure: error) }
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
        case .export(let mark): try export(mark.item)
        case .copy(let mark): try copy(mark.item)
        case .copyReference(let mark): try copyReference(to: mark.item)
        case .delete(let mark): try delete(mark.item)
        case .purge(let mark): try purge(mark.item)
        case .restore(let mark): try restore(mark.item)
        case .lock: try lock()
        case .unlock: try unlock()
        case .save(let form, let overwrites): try save(form, overwrites)
        case .quit, .suspend, .redraw, .hide, .reload: break
        }
    }

    /// A failure in three lines; a keychain that is locked or gone has a state of its own.
    func show(failure: CommandFailure) {
        if case .detail(var detail)? = browser.layers.last, detail.secret == .asking {
            detail.secret = .hidden
            browser.layers[browser.layers.count - 1] = .detail(detail)
        }
        if failure.isLocked {
            browser.lockDown()
        } else if failure.isStatus(.notAvailable) {
            browser.lost = FailureText(failure)
        } else {
            browser.layers.append(.failure(FailureText(failure)))
        }
    }

    private func access() -> ItemAccess { ItemAccess(session, Self.call) }

    // MARK: - Reading

    /// Reads all items, and takes keys meanwhile.
    func read() {
        do throws(CommandFailure) { try readAll() } catch { show(failure: error) }
        browser.reading = nil
    }

    private func readAll() throws(CommandFailure) {
        browser.lost = nil
        browser.reading = 0
        browser.keychains = try session.searchList(Self.call)
        try readStatus()
        guard !browser.status.isLocked else { return }
        browser.catalog.own = try OwnGroups(session, Self.call)
        var (listing, items) = (KeychainListing(session, Self.call), [ListedItem]())
        try listing.visit(ItemClass.stored + [.identity]) { (item) throws(CommandFailure) in
            items.append(item)
            if items.count % Self.progress == 0 { try showProgress(items) }
        }
        browser.catalog.replace(items: items)
        if items.isEmpty, !listing.locked.isEmpty { browser.lockDown() }
    }

    private static let progress = 500

    /// Shows the first items, and the number of those that were read so far.
    private func showProgress(_ items: [ListedItem]) throws(CommandFailure) {
        if items.count == Self.progress { browser.catalog.replace(items: items) }
        browser.reading = items.count
        do throws(SystemError) {
            try takeInput(waiting: 0)
            try draw()
        } catch { throw CommandFailure("the terminal", error) }
        guard isDone || waiting.contains(.quit) else { return }
        isDone = true
        throw .shown
    }

    private func readStatus() throws(CommandFailure) {
        try session.turn(to: browser.catalog.scope.keychain ?? browser.keychains.first ?? .login, Self.call)
        let status = try session.status(Self.call)
        browser.status = .init(
            isLocked: status.lockState != .unlocked && status.passcodeIsSet, hasPassword: status.passcodeIsSet,
            protection: status.protection.name, wait: status.retryAfter)
    }

    /// Looks whether the keychain was locked or went away.
    func look() throws(SystemError) {
        let (wasLocked, wasLost) = (browser.status.isLocked, browser.lost != nil)
        do throws(CommandFailure) {
            try readStatus()
            browser.lost = nil
        } catch { return browser.lost = FailureText(error) }
        if browser.status.isLocked, !wasLocked {
            // Nothing of it may stay, whatever is drawn next.
            try hideSecret()
            browser.lockDown()
            screen.forget()
        } else if !browser.status.isLocked, wasLocked || wasLost {
            read()
        }
    }

    private func readItem(_ item: ListedItem) throws(CommandFailure) {
        guard item.kind != .deleted else { return }
        let found = try access().attributes(of: item, withValue: false)
        switch browser.layers.last {
        case .detail(var detail):
            detail.lines = lines(of: found, item)
            browser.layers[browser.layers.count - 1] = .detail(detail)
        case .form(let form) where !form.isChanged:
            let codes: [(String, AttributeID)] = [
                ("svce", .service), ("srvr", .server), ("acct", .account), ("labl", .label), ("icmt", .comment),
                ("agrp", .accessGroup),
            ]
            let values = Dictionary(uniqueKeysWithValues: codes.map { ($0.0, found.attributes.shownText($0.1)) })
            browser.layers[browser.layers.count - 1] = .form(EditForm(item, values: values))
        default: break
        }
    }

    private func lines(of found: ItemResponse.Item, _ item: ListedItem) -> [(label: String, text: String)] {
        let now = session.now()
        let moment = { [session] (date: ItemDate) in session.text(date.long(now: now)) }
        return ShowItem.lines(found, item, browser.catalog.own, moment: moment, say: session.text)
            + KeyLines.lines(of: found).map { ($0.label, session.text($0.text)) }
    }

    private func readHistory(of item: ListedItem) throws(CommandFailure) {
        let lines = try givingTerminal("The earlier versions of an item may need an answer.") {
            () throws(CommandFailure) in try ItemHistory.lines(of: item, session)
        }
        guard case .detail(var detail)? = browser.layers.last else { return }
        detail.history = lines.isEmpty ? [session.text("There is no earlier version.")] : lines
        browser.layers[browser.layers.count - 1] = .detail(detail)
    }

    private func readDeleted() throws(CommandFailure) {
        let items = try givingTerminal("The deleted items may need an answer.") { () throws(CommandFailure) in
            var items: [ListedItem] = []
            do throws(CommandFailure) {
                try KeychainListing(session, Self.call).visitDeleted { items.append($0) }
            } catch { if !error.isStatus(.itemNotFound) { throw error } }
            return items
        }
        browser.catalog.replace(deleted: items)
    }

    // MARK: - Values

    private func reveal(_ item: ListedItem) throws(CommandFailure) {
        guard mayReveal else {
            throw .failed(
                "browse: the value is not shown here",
                cause: "This terminal has one screen, and keeps what was drawn on it.",
                remedy: "Copy it with c, or use `security show -p`.")
        }
        let value = try value(of: item)
        guard let lines = SecretLines(value, room: Painter.secretRoom(browser.size)) else {
            throw .failed(
                "browse: the value is too long for this screen",
                cause: "It has several lines, or very many characters.",
                remedy: "Copy it with c, or use `security show -p`.")
        }
        guard case .detail(var detail)? = browser.layers.last else { return }
        detail.page = .attributes
        detail.secret = .shown(until: session.now() + ItemDetail.shownTime, columns: lines.columns)
        secret = lines
        browser.layers[browser.layers.count - 1] = .detail(detail)
    }

    /// The value of an item. One that asks its user has the screen given away meanwhile.
    private func value(of item: ListedItem) throws(CommandFailure) -> SecretBytes {
        try browser.catalog.own.require(item, Self.call)
        let read = { () throws(CommandFailure) in try self.access().attributes(of: item, withValue: true).password }
        guard AccessControl.asksTheUser(item.accessControl?.flags ?? 0) else { return try read() }
        return try givingTerminal("Waiting for the answer to the prompt of this item.", read)
    }

    private func copy(_ item: ListedItem) throws(CommandFailure) {
        try put(try value(of: item), "Copied; the clipboard clears in 45 s.")
    }

    private func copyReference(to item: ListedItem) throws(CommandFailure) {
        guard let reference = item.uri else { throw .refused(call: Self.call, .nothingFound) }
        try put(SecretBytes(copying: Array(reference.utf8).span), "The reference was copied.")
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
        read()
        browser.note = item.leavesVersions ? "Deleted. u brings it back." : "Deleted."
    }

    private func purge(_ item: ListedItem) throws(CommandFailure) {
        try browser.catalog.own.require(item, Self.call)
        try changing(item) { () throws(CommandFailure) in
            if item.kind == .deleted {
                try self.access().forget(item)
            } else {
                try self.access().delete(item: item, leavingVersions: false)
            }
        }
        browser.layers.removeAll()
        read()
        if item.kind == .deleted { try readDeleted() }
        browser.note = "Deleted for ever."
    }

    private func restore(_ item: ListedItem) throws(CommandFailure) {
        try session.turn(to: item.keychain, Self.call)
        let bringBack = { () throws(CommandFailure) in try self.access().restore(item) }
        // With a password, what was deleted comes back in the presence of its user.
        if try session.status(Self.call).passcodeIsSet {
            try givingTerminal("Waiting for the answer to the prompt of this item.", bringBack)
        } else {
            try changing(item, bringBack)
        }
        browser.lastDeleted = nil
        read()
        if browser.catalog.scope.kind == .deleted { try readDeleted() }
        browser.catalog.select(item)
        browser.note = "Brought back."
    }

    private func changing(_ item: ListedItem, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        guard AccessControl.asksTheUser(item.accessControl?.flags ?? 0) else { return try body() }
        try givingTerminal("Waiting for the answer to the prompt of this item.", body)
    }

    private func lock() throws(CommandFailure) {
        guard browser.status.hasPassword else {
            browser.note = "There is no password, so it stays open: security set-keychain-password."
            return
        }
        try session.turn(to: browser.catalog.scope.keychain ?? browser.keychains.first ?? .login, Self.call)
        _ = try session.device(.lock, Self.call)
        browser.lockDown()
        screen.forget()
    }

    private func unlock() throws(CommandFailure) {
        try session.turn(to: browser.catalog.scope.keychain ?? browser.keychains.first ?? .login, Self.call)
        // The view may be locked while the keychain is not.
        try givingTerminal("The keychain opens with its password.") { () throws(CommandFailure) in
            guard let terminal = session.terminal else { throw .canceled }
            try UnlockOffer(session).unlock(at: terminal)
        }
        read()
    }

    private func save(_ form: EditForm, _ overwrites: Bool) throws(CommandFailure) {
        if !overwrites, let item = form.item?.item, try isOutdated(item) {
            let question = BrowseQuestion(act: .overwrite(form), item: ItemMark(item))
            return browser.layers.append(.question(question))
        }
        let value = try newValue(form)
        let changes = form.changes.map { (code: $0.code, value: RawValue.string($0.text)) }
        if let item = form.item?.item {
            try changing(item) { () throws(CommandFailure) in try self.access().change(item, changes, value) }
        } else {
            try access().addItem(of: .genericPassword, changes, value ?? SecretBytes(count: 0))
        }
        browser.layers.removeAll { if case .form = $0 { true } else { false } }
        read()
        browser.note = "Saved."
    }

    /// Whether another program has changed the item since it was read.
    private func isOutdated(_ item: ListedItem) throws(CommandFailure) -> Bool {
        let found = try access().attributes(of: item, withValue: false)
        return found.attributes.moment(.modificationDate) != item.changed
    }

    private func newValue(_ form: EditForm) throws(CommandFailure) -> SecretBytes? {
        switch form.password {
        case .unchanged: nil
        case .generated: GeneratedPassword.usual().bytes
        case .typed:
            try givingTerminal("The new password; nothing is shown while it is typed.") { () throws(CommandFailure) in
                try PasswordInput(session).newItemPassword()
            }
        }
    }
}
