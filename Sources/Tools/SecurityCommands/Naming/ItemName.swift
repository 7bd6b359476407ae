import CommandOptions
import KeychainModel
import KeychainWire

/// The words by which a person names one item: words of its service, server, label and account, or a reference
/// (``ItemReference``). Which of several items is meant is never guessed.
struct ItemName {
    private enum Form {
        case words([ItemWord], whole: ItemWord)
        case reference(ItemReference)
        case number(UInt32)
        case row(ListedRow)
    }

    /// The words as they were given, for messages.
    let text: String
    private var form: Form

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for no word at all and for a malformed reference.
    init(_ words: [Argument]) throws(CommandFailure) {
        let texts = words.map(\.text)
        text = texts.joined(separator: " ")
        guard text.contains(where: { $0 != " " }) else { throw .usage("an item has a name") }
        if let number = Self.rowNumber(text) {
            form = .number(number)
            return
        }
        guard ItemReference.isMeant(by: text) else {
            form = .words(text.split(separator: " ").map { ItemWord(String($0)) }, whole: ItemWord(text))
            return
        }
        do throws(ItemReference.Malformed) { form = .reference(try ItemReference(text)) } catch {
            throw .usage("\"\(text)\" is no reference: \(error.problem)")
        }
    }

    init(_ word: Argument) throws(CommandFailure) { try self.init([word]) }

    /// The number of `#3`; nil for anything else.
    private static func rowNumber(_ text: String) -> UInt32? {
        guard text.first == "#", text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(text.dropFirst())
    }

    /// The name with the row that a number stands for.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` without a terminal; `errSecItemNotFound` for no row.
    func resolved(_ session: Session, _ call: String) throws(CommandFailure) -> ItemName {
        guard case .number(let number) = form else { return self }
        var name = self
        name.form = .row(try session.row(number, call))
        return name
    }

    /// The row of a list that it names.
    var row: ListedRow? { if case .row(let row) = form { row } else { nil } }

    /// The field that a reference names; nil for words.
    var field: ItemReference.Field? {
        if case .reference(let reference) = form { reference.field } else { nil }
    }

    /// How well an item is described.
    enum Match: Int {
        case none, part, name
    }

    /// Whether the words are the item's name, or parts of its names.
    func match(_ item: ListedItem) -> Match {
        switch form {
        case .reference(let reference): reference.names(item) ? .name : .none
        case .number: .none
        case .row(let row): item.isMeant(by: row) ? .name : .none
        case .words(let words, let whole):
            if whole.isName(of: item) {
                .name
            } else if words.allSatisfy({ $0.isPart(of: item) }) {
                .part
            } else {
                .none
            }
        }
    }
}

extension ItemReference {
    /// Whether the reference means this item; here capitals are not small letters.
    fileprivate func names(_ item: ListedItem) -> Bool {
        item.itemClass == itemClass && item.name == service && account.map { item.account == $0 } ?? true
            && port.map { item.port == Int64($0) } ?? true
    }
}

/// Finds the items that names mean, with one look at the keychain for all of them.
struct NameSearch {
    private let session: Session
    private let call: String
    /// The words must be the whole name: for verbs that change something.
    private let isExact: Bool

    init(_ session: Session, _ call: String, exactly isExact: Bool = false) {
        (self.session, self.call, self.isExact) = (session, call, isExact)
    }

    /// The one item that a name means.
    ///
    /// - Throws: `errSecItemNotFound` for none; a failure for several, whose table goes to standard error.
    func only(_ name: ItemName) throws(CommandFailure) -> ListedItem {
        let items = try all([name])
        guard let item = items.first else { throw .refused(call: call, .noSuchItem(name.text)) }
        return item
    }

    /// The one item that each name means, in their order; an item that two names mean is there once.
    func all(_ names: [ItemName]) throws(CommandFailure) -> [ListedItem] {
        let names = try resolved(names)
        var candidates = Candidates(names)
        var listing = KeychainListing(session, call)
        try listing.visit { candidates.consider($0) }
        if let locked = listing.locked.first, candidates.isIncomplete {
            // An offer to unlock is about this one.
            try session.turn(to: locked, call)
            throw .refused(call: call, .sealedItems)
        }
        return try chosen(names, candidates)
    }

    /// The same among the deleted items of this command; of an item that was deleted twice, the last version.
    func allDeleted(_ names: [ItemName]) throws(CommandFailure) -> [ListedItem] {
        let names = try resolved(names)
        var candidates = Candidates(names)
        try KeychainListing(session, call).visitDeleted { candidates.consider($0) }
        candidates.keepLast()
        return try chosen(names, candidates)
    }

    private func resolved(_ names: [ItemName]) throws(CommandFailure) -> [ItemName] {
        var resolved: [ItemName] = []
        for name in names { resolved.append(try name.resolved(session, call)) }
        return resolved
    }

    private func chosen(_ names: [ItemName], _ candidates: Candidates) throws(CommandFailure) -> [ListedItem] {
        var chosen: [ListedItem] = []
        for (index, name) in names.enumerated() {
            let item = try one(of: candidates.found[index], name)
            if !chosen.contains(where: { $0.isSame(as: item) }) { chosen.append(item) }
        }
        return chosen
    }

    private func one(of found: Candidates.Found, _ name: ItemName) throws(CommandFailure) -> ListedItem {
        if let row = name.row {
            guard let item = found.names.last, item.changed ?? 0 == row.changed else {
                throw .refused(call: call, .changedRow(name.text))
            }
            return item
        }
        let items = found.names.isEmpty && !isExact ? found.parts : found.names
        guard let item = items.first else {
            guard !found.parts.isEmpty else { throw .refused(call: call, .noSuchItem(name.text)) }
            throw try ambiguous(
                found.parts, name, "no item has just this name; \(found.parts.count.items) it in theirs")
        }
        guard items.count == 1 else { throw try ambiguous(items, name, "\(items.count) items match") }
        return item
    }

    /// Shows the candidates, and makes the failure that says which words would have been enough.
    private func ambiguous(
        _ items: [ListedItem], _ name: ItemName, _ cause: String
    ) throws(CommandFailure) -> CommandFailure {
        let shown = Array(items.prefix(Self.mostShown))
        if !session.writesJSON, !session.isQuiet {
            let columns = ItemColumns(session: session, own: try OwnGroups(session, call), isLong: false)
            session.output.flush()
            for line in columns.lines(of: shown, room: session.diagnostics.columns(session.environment)) {
                session.diagnostics.write(shown: line)
            }
        }
        let next = shown.lazy.compactMap { $0.uri.flatMap(ShellWord.quoted) }.first.map { "security \(call) \($0)" }
        return .failed(
            "\(call): \(name.text.quoted) does not name one item", cause: cause,
            remedy: next ?? "Say more of the one that is meant.")
    }

    private static let mostShown = 20
}

/// The items that match each name.
private struct Candidates {
    struct Found {
        var names: [ListedItem] = []
        var parts: [ListedItem] = []
    }

    private let wanted: [ItemName]
    private(set) var found: [Found]

    init(_ names: [ItemName]) { (wanted, found) = (names, names.map { _ in Found() }) }

    mutating func consider(_ item: ListedItem) {
        for (index, name) in wanted.enumerated() {
            switch name.match(item) {
            case .none: break
            case .part: found[index].parts.append(item)
            case .name: found[index].names.append(item)
            }
        }
    }

    /// Whether a name has not been found as a whole.
    var isIncomplete: Bool { found.contains { $0.names.isEmpty } }

    /// Keeps of each deleted item what was deleted last.
    mutating func keepLast() {
        for index in found.indices {
            found[index].names = last(found[index].names)
            found[index].parts = last(found[index].parts)
        }
    }

    private func last(_ items: [ListedItem]) -> [ListedItem] {
        var kept: [ListedItem] = []
        for item in items {
            kept.removeAll { $0.itemClass == item.itemClass && $0.title == item.title && $0.group == item.group }
            kept.append(item)
        }
        return kept
    }
}

extension Int {
    fileprivate var items: String { self == 1 ? "1 item has" : "\(self) items have" }
}

extension ListedItem {
    /// The reference that names the item; nil for what no reference names.
    var uri: String? {
        guard itemClass.isPassword, !name.isEmpty else { return nil }
        return ItemReference(self).text
    }
}

extension ItemReference {
    fileprivate init(_ item: ListedItem) {
        (service, account, itemClass) = (item.name, item.account.isEmpty ? nil : item.account, item.itemClass)
        port = item.port.flatMap { $0 > 0 ? UInt16(exactly: $0) : nil }
    }
}

extension Refusal {
    fileprivate static func noSuchItem(_ name: String) -> Refusal {
        Refusal(
            .itemNotFound, Rule(rawValue: "command.no-such-item"), name,
            "No item has \(name.quoted) in its service, server, label or account.",
            do: "`security list` shows the items there are.")
    }

    fileprivate static func changedRow(_ name: String) -> Refusal {
        Refusal(
            .itemNotFound, Rule(rawValue: "rows.changed"), name,
            "The item in row \(name) was changed or deleted since it was listed.",
            do: "List the items again: security list")
    }

    fileprivate static let sealedItems = Refusal(
        .interactionNotAllowed, .locked, "keychain", "The keychain is locked, and the names of its items are sealed.",
        do: "Unlock it with `security unlock-keychain`.")
}
