import KeychainModel
import TerminalText

/// The columns of a list of items.
struct ItemColumns {
    let session: Session
    let own: OwnGroups
    let isLong: Bool

    private static let short: [ColumnTable.Column] = [
        .init("NAME", least: 16), .init("KIND"), .init("ACCOUNT", least: 8, dropped: 2),
        .init("WHERE", dropped: 3), .init("GROUP", least: 8, dropped: 4), .init("CHANGED", dropped: 1),
    ]
    private static let more: [ColumnTable.Column] = [
        .init("CREATED", dropped: 5), .init("EXPIRES", dropped: 6), .init("PROTECTION", least: 12, dropped: 7),
    ]

    private var columns: [ColumnTable.Column] { Self.columns(isLong) }

    private static func columns(_ isLong: Bool) -> [ColumnTable.Column] { isLong ? short + more : short }

    /// The lines for a terminal.
    func lines(of items: [ListedItem], room: Int) -> [String] {
        let width = TextWidth(ambiguous: session.environment(CommandVariable.ambiguousWidth.rawValue) == "2" ? 2 : 1)
        let table = ColumnTable(columns.map { $0.named(session.text($0.heading)) }, width: width, room: room)
        return table.lines(of: items.map { cells($0) { session.text($0.short(now: session.now())) } })
    }

    /// The heading of the lines for programs.
    static func heading(isLong: Bool) -> String { columns(isLong).map(\.heading).joined(separator: "\t") }

    /// A line for programs: tabs between the cells, moments in ISO 8601.
    func line(_ item: ListedItem) -> String { cells(item) { $0.iso8601 }.joined(separator: "\t") }

    private func cells(_ item: ListedItem, _ show: (ItemDate) -> String) -> [String] {
        let dates = [item.changed, item.created, item.expires].map { $0.map { show(ItemDate(seconds: $0)) } ?? "" }
        let short = [
            DisplayName.shown(item.name), item.kind.rawValue, DisplayName.shown(item.account), place(item),
            own.title(of: item.group), dates[0],
        ]
        return isLong ? short + [dates[1], dates[2], item.protection] : short
    }

    /// An object for programs.
    func json(of item: ListedItem) -> JSONValue {
        let date = { (seconds: Double?) in
            seconds.map { JSONValue.string(ItemDate(seconds: $0).iso8601) } ?? JSONValue.null
        }
        return .object([
            ("ref", .string(item.encodedReference)), ("kind", .string(item.kind.rawValue)),
            ("name", .string(item.name)), ("account", .string(item.account)), ("label", .string(item.label)),
            ("where", .string(place(item))), ("group", .string(item.group)), ("own", .boolean(own.have(item.group))),
            ("created", date(item.created)), ("changed", date(item.changed)), ("expires", date(item.expires)),
            ("protection", .string(item.protection)),
        ])
    }

    /// The keychain that the items are in.
    private func place(_ item: ListedItem) -> String {
        session.isForSystem ? "System" : DisplayName.shown(item.keychain.name)
    }
}

extension ListedItem {
    /// When the item opens, and what it demands: `WhenUnlocked, asks`.
    var protection: String {
        let control = AccessConstraint(flags: accessControl?.flags ?? 0)
        let words =
            [accessibility?.name ?? "unknown"]
            + (AccessControl.asksTheUser(control.flags) ? ["asks"] : []) + (control.needsAnchor ? ["anchored"] : [])
        return words.joined(separator: ", ")
    }
}

extension Accessibility {
    /// The name of the class as Apple's constants have it.
    var name: String {
        switch self {
        case .whenUnlocked: "WhenUnlocked"
        case .afterFirstUnlock: "AfterFirstUnlock"
        case .always: "Always"
        case .whenUnlockedThisDeviceOnly: "WhenUnlockedThisDeviceOnly"
        case .afterFirstUnlockThisDeviceOnly: "AfterFirstUnlockThisDeviceOnly"
        case .alwaysThisDeviceOnly: "AlwaysThisDeviceOnly"
        case .whenPasscodeSetThisDeviceOnly: "WhenPasscodeSetThisDeviceOnly"
        }
    }
}
