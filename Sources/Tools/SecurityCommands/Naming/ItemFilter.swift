import CommandOptions
import KeychainModel

/// The words behind `list`: plain words, and filters such as `kind:pass` and `changed:<7d`.
struct ItemFilter {
    private var words: [ItemWord] = []
    private var kinds: Set<ListedItem.Kind> = []
    private var groups: [SearchText] = []
    private var programs: [SearchText] = []
    private var accounts: [SearchText] = []
    private var changes: [(Double) -> Bool] = []
    private var expired: Bool?
    /// The words that look like filters and are none: `foo` of `foo:bar`. They are looked for as words.
    private var unknownNames: [String] = []

    /// The names of the filters, for the usage and its errors.
    static let names = ["kind", "group", "program", "account", "changed", "expired"]

    /// - Parameter now: seconds since 2001.
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a filter whose value cannot be read.
    init(_ words: [Argument], now: Double) throws(CommandFailure) {
        for word in words.map(\.text) { try narrow(by: word, now) }
    }

    private mutating func narrow(by word: String, _ now: Double) throws(CommandFailure) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, Self.names.contains(parts[0]) else {
            if Self.looksLikeFilter(parts) { unknownNames.append(parts[0]) }
            return words.append(ItemWord(word))
        }
        let value = parts[1]
        switch parts[0] {
        case "kind":
            guard let kind = ListedItem.Kind(rawValue: value) else {
                let kinds = ListedItem.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw .usage("\"\(value)\" is none of \(kinds)")
            }
            kinds.insert(kind)
        case "group": groups.append(SearchText(value))
        case "program": programs.append(SearchText(value))
        case "account": accounts.append(SearchText(value))
        case "changed": changes.append(try Age(value, now).matches)
        default:
            guard ["yes", "no"].contains(value) else { throw .usage("\"\(value)\" is neither yes nor no") }
            expired = value == "yes"
        }
    }

    /// Whether the parts of a word are a name and a value, and not those of an address.
    private static func looksLikeFilter(_ parts: [String]) -> Bool {
        guard parts.count == 2, let first = parts[1].first, first != "/", !first.isNumber else { return false }
        return !parts[0].isEmpty && parts[0].utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) }
    }

    /// A sentence about the words that look like filters and are none; nil without any.
    var hint: Words? {
        guard !unknownNames.isEmpty else { return nil }
        let unknown = unknownNames.map { DisplayName.shown("\($0):") }.joined(separator: " ")
        return "There is no filter \(unknown) The filters are \(Self.names.map { "\($0):" }.joined(separator: " "))"
    }

    /// Whether there is anything to leave out.
    var isEmpty: Bool {
        words.isEmpty && kinds.isEmpty && groups.isEmpty && programs.isEmpty && accounts.isEmpty && changes.isEmpty
            && expired == nil
    }

    /// Whether deleted items are asked for.
    var wantsDeleted: Bool { kinds.contains(.deleted) }

    /// The classes to be read.
    var classes: [ItemClass] {
        guard !kinds.isEmpty else { return ItemClass.stored }
        let all: [(ListedItem.Kind, ItemClass)] = [
            (.password, .genericPassword), (.internet, .internetPassword), (.certificate, .certificate), (.key, .key),
            (.identity, .identity),
        ]
        return all.filter { kinds.contains($0.0) }.map(\.1)
    }

    /// Whether an item is to be shown, as far as it does not depend on its group.
    func matches(_ item: some SearchedItem, now: Double) -> Bool {
        guard kinds.isEmpty || kinds.contains(item.kind) else { return false }
        guard words.allSatisfy({ $0.isPart(of: item) }) else { return false }
        guard accounts.allSatisfy({ item.has($0, as: .part, of: .account) }) else { return false }
        guard changes.allSatisfy({ $0(item.changed ?? -.infinity) }) else { return false }
        if let expired, (item.expires.map { $0 < now } ?? false) != expired { return false }
        return true
    }

    /// Whether the items of a group are to be shown.
    func isMet(by group: String, _ own: OwnGroups) -> Bool {
        if groups.isEmpty, programs.isEmpty { return true }
        let names = [SearchText(group), SearchText(own.title(of: group))]
        guard groups.allSatisfy({ wanted in names.contains { $0.contains(wanted) } }) else { return false }
        guard !programs.isEmpty else { return true }
        guard group.hasPrefix(AccessGroup.unsignedPrefix) else { return false }
        let path = SearchText(String(group.dropFirst(AccessGroup.unsignedPrefix.count)))
        return programs.allSatisfy(path.contains)
    }
}

/// A span of time in a filter: `<7d`, `>30d`, `>2026-01-01`, `<2026-01-01`; without a sign, `7d` means `<7d` and a day
/// means since that day.
private struct Age {
    let matches: (Double) -> Bool

    private static let units: [Character: Double] = [
        "h": 3600, "d": 86_400, "w": 604_800, "m": 2_592_000, "y": 31_536_000,
    ]

    init(_ text: String, _ now: Double) throws(CommandFailure) {
        let sign = text.first.flatMap { "<>".contains($0) ? $0 : nil }
        let value = sign == nil ? text[...] : text.dropFirst()
        if let unit = value.last.flatMap({ Self.units[$0] }), let count = UInt32(value.dropLast()) {
            let moment = now - Double(count) * unit
            matches = sign == ">" ? { $0 < moment } : { $0 >= moment }
        } else if let day = Moment(String(value)) {
            let moment = day.secondsSinceReferenceDate
            matches = sign == "<" ? { $0 < moment } : { $0 >= moment }
        } else {
            throw .usage("\"\(text)\" is neither an age such as <7d nor a day such as >2026-01-31")
        }
    }
}

/// A word that is looked for in the names of items; `deploy/ci` is looked for as a name and its account too.
struct ItemWord {
    private let whole: SearchText
    private let name, account: SearchText?

    init(_ word: String) {
        whole = SearchText(word)
        let slash = word.lastIndex(of: "/")
        name = slash.map { SearchText(String(word[..<$0])) }
        account = slash.map { SearchText(String(word[word.index(after: $0)...])) }
    }

    /// Whether the item has the word as a part of its name, label or account.
    func isPart(of item: some SearchedItem) -> Bool { isMet(by: item, .part) }

    /// Whether the word is one of the item's names, or name and account.
    func isName(of item: some SearchedItem) -> Bool { isMet(by: item, .whole) }

    private func isMet(by item: some SearchedItem, _ extent: SearchExtent) -> Bool {
        if item.has(whole, as: extent, of: .names) || item.has(whole, as: extent, of: .account) { return true }
        guard let name, let account, item.has(account, as: extent, of: .account) else { return false }
        return item.has(name, as: extent, of: .names)
    }
}
