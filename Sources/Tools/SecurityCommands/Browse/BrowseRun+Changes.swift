import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The changes of this viewer and of other programs since the items were read.
extension BrowseRun {
    private static let call = "browse"
    /// Of more changes than this, everything is read again.
    private static let mostSingly = 256

    /// Notes where the changes begin, before the items are read. A keychain that does not tell is not followed.
    func beginFollowing() {
        followed = [:]
        for keychain in browser.keychains {
            guard let page = try? changes(in: keychain, after: .max), page.state == .whole else { continue }
            followed[keychain] = page.next
        }
    }

    private func changes(in keychain: ChosenKeychain, after number: UInt64) throws(CommandFailure) -> ChangePage {
        try session.turn(to: keychain, Self.call)
        let reply = try session.asking(by: .after(milliseconds: Self.patience)) { () throws(CommandFailure) in
            try session.access(.changes(after: number), Self.call)
        }
        guard case .changes(let page) = reply else { throw .refused(call: Self.call, .malformed("the changes")) }
        return page
    }

    /// Reads what has changed; everything, where the keychain cannot tell what.
    ///
    /// - Returns: the new items and the new versions.
    @discardableResult
    func readChanges() throws(CommandFailure) -> [ListedItem] {
        var new: [ListedItem] = []
        for (keychain, number) in followed where silence[keychain] == nil {
            // A keychain that cannot tell is not asked again until everything is read.
            followed[keychain] = nil
            let page: ChangePage
            do throws(CommandFailure) { page = try changes(in: keychain, after: number) } catch {
                if error.isLate { followed[keychain] = number }
                throw error
            }
            guard page.state == .whole, page.items.count <= Self.mostSingly else {
                try readAgain()
                return Array(browser.catalog.shown)
            }
            followed[keychain] = page.next
            guard !page.items.isEmpty else { continue }
            do throws(CommandFailure) { new += try read(page.items, in: keychain) } catch {
                guard error.isLocked else { throw error }
            }
        }
        return new
    }

    /// Reads what this viewer has just changed.
    func readOwnChanges() throws(CommandFailure) -> [ListedItem] {
        let isFollowing = browser.keychains.allSatisfy { followed[$0] != nil }
        if isFollowing { return try readChanges() }
        try readAgain()
        return Array(browser.catalog.shown)
    }

    private func read(_ changed: [PersistentReference], in keychain: ChosenKeychain) throws(CommandFailure)
        -> [ListedItem]
    {
        let listing = KeychainListing(session, Self.call)
        var (gone, new) = (Set(changed.compactMap(\.bytes)), [ListedItem]())
        try session.asking(by: .after(milliseconds: Self.patience)) { () throws(CommandFailure) in
            for reference in changed {
                if let item = try listing.item(reference, in: keychain) { new.append(item) }
            }
        }
        if changed.contains(where: { [.certificate, .key].contains($0.itemClass) }) {
            // Which certificates have their keys, the keychain says.
            gone.formUnion(browser.catalog.references(of: .identity, in: keychain))
            new += try listing.identities(in: keychain)
        }
        browser.catalog.replace(gone, in: keychain, with: new)
        if browser.catalog.scope.kind == .deleted { try readDeleted() }
        try closeDeleted(gone, in: keychain, new)
        try showVersion(new)
        return new
    }

    /// The screen of an item that another program has deleted goes.
    private func closeDeleted(
        _ gone: Set<[UInt8]>, in keychain: ChosenKeychain, _ new: [ListedItem]
    ) throws(CommandFailure) {
        guard case .detail(let detail)? = browser.layers.last, detail.item.kind != .deleted,
            detail.item.keychain == keychain, gone.contains(detail.item.reference),
            !new.contains(where: { $0.isSame(as: detail.item) && $0.kind == detail.item.kind })
        else { return }
        try eraseSecret()
        browser.layers.removeLast()
        browser.note = "Another program has deleted this item."
    }

    /// An item that is open is shown as it is now. A form stays as it is; saving it finds the change.
    private func showVersion(_ new: [ListedItem]) throws(CommandFailure) {
        guard case .detail(let detail)? = browser.layers.last,
            let item = new.first(where: { $0.isSame(as: detail.item) && $0.kind == detail.item.kind }),
            item.changed != detail.item.changed
        else { return }
        // The value that was shown is that of the version before.
        try eraseSecret()
        browser.layers[browser.layers.count - 1] = .detail(ItemDetail(item, page: .attributes))
        try readItem(item)
    }
}

/// The changes that a form makes.
extension BrowseRun {
    func save(_ form: EditForm, _ overwrites: Bool) throws(CommandFailure) {
        let version = try version(of: form)
        if !overwrites, let item = form.item?.item, version != item.changed { return askToOverwrite(form, item) }
        let value = try newValue(form)
        // To type a password takes its time.
        if form.password == .typed, let item = form.item?.item, try self.version(of: form) != version {
            return askToOverwrite(form, item)
        }
        let changes = form.changes.map { (code: $0.code, value: RawValue.string($0.text)) }
        if let item = form.item?.item {
            try changing(item) { () throws(CommandFailure) in try self.access().change(item, changes, value) }
        } else {
            try add(changes, value ?? SecretBytes(count: 0), to: form.keychain)
        }
        browser.layers.removeAll { if case .form = $0 { true } else { false } }
        let new = try readOwnChanges()
        // A new item is the selected one.
        if form.item == nil, let added = new.first(where: form.isAbout) { browser.catalog.select(added) }
        browser.note = "Saved."
    }

    /// Adds to the keychain of a form. Another one than the one that is shown may be locked: the form stays then.
    private func add(
        _ attributes: [(code: String, value: RawValue)], _ value: SecretBytes, to keychain: ChosenKeychain?
    ) throws(CommandFailure) {
        do throws(CommandFailure) {
            try access().addItem(of: .genericPassword, attributes, value, in: keychain)
        } catch {
            guard error.isLocked, let keychain, keychain != browser.shownKeychain else { throw error }
            throw .failed(
                "browse: the keychain \(keychain.name) is locked", cause: "Nothing was saved; the form stays.",
                remedy: "Run `security unlock-keychain \(keychain.name)`, and save again.")
        }
    }

    private func askToOverwrite(_ form: EditForm, _ item: ListedItem) {
        browser.layers.append(.question(BrowseQuestion(act: .overwrite(form), item: ItemMark(item))))
    }

    /// When the item of a form was changed last, by this program or another; nil for a new one.
    private func version(of form: EditForm) throws(CommandFailure) -> Double? {
        guard let item = form.item?.item else { return nil }
        return try access().attributes(of: item, withValue: false).attributes.moment(.modificationDate)
    }

    private func newValue(_ form: EditForm) throws(CommandFailure) -> SecretBytes? {
        if form.password == .unchanged { return nil }
        try hideMemory()
        switch form.password {
        case .unchanged: return nil
        case .generated: return GeneratedPassword.usual().bytes
        case .typed: return try typedValue(for: form.title)
        }
    }

    /// An empty line means that the user has thought better of it.
    private func typedValue(for title: String) throws(CommandFailure) -> SecretBytes {
        let value = try givingTerminal("The new password of \(title); nothing is shown while it is typed.") {
            () throws(CommandFailure) in
            try PasswordInput(session).newItemPassword(of: title)
        }
        guard value.count > 0 else { throw .canceled }
        return value
    }
}
