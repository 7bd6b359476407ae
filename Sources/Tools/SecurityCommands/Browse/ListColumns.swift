import KeychainClient
import TerminalText

/// The columns of the list.
struct ListColumns {
    let browser: Browser
    let isASCII: Bool
    /// Seconds since 2001.
    let now: Double
    let say: (Words) -> String

    struct Column {
        let heading: Words
        let order: ItemOrder?
        let start, room: Int
        let text: (ListedItem, ListColumns) -> String
    }

    /// A column before the room is shared out.
    private struct Plan {
        let heading: Words
        let order: ItemOrder?
        /// The columns that it is given, and those that it can do with.
        var wanted: Int
        let least: Int
        let text: @Sendable (ListedItem, ListColumns) -> String
    }

    private static let name = Plan(heading: "NAME", order: .name, wanted: 14, least: 10) { item, columns in
        let dot = columns.isASCII ? "-" : "·"
        return DisplayName.shown(item.name) + (item.ownLabel.map { " \(dot) \(DisplayName.shown($0))" } ?? "")
    }
    private static let kind = Plan(heading: "KIND", order: .kind, wanted: 5, least: 5) { item, columns in
        columns.say(Words(item.formerKind.rawValue))
    }
    private static let account = Plan(heading: "ACCOUNT", order: .account, wanted: 10, least: 8) { item, _ in
        DisplayName.shown(item.account)
    }
    private static let group = Plan(heading: "GROUP", order: .group, wanted: 12, least: 9) { item, columns in
        columns.browser.catalog.own.title(of: item.group)
    }
    private static let keychain = Plan(heading: "KEYCHAIN", order: nil, wanted: 10, least: 8) { item, _ in
        DisplayName.shown(item.keychain.name)
    }
    private static let changed = moment("CHANGED")
    private static let deleted = moment("DELETED")

    /// The column of the last change. A narrow list of deleted items keeps its title over its shortened moments.
    private static func moment(_ heading: Words) -> Plan {
        Plan(heading: heading, order: .changed, wanted: 11, least: 11) { item, columns in
            item.changed.map { columns.say(ItemDate(seconds: $0).short(now: columns.now)) } ?? ""
        }
    }

    /// All columns, in their order. The keychain is one where the list shows several.
    private var plans: [Plan] {
        let keychain = browser.hasManyKeychains && browser.catalog.scope.keychain == nil ? [Self.keychain] : []
        let moment = browser.catalog.scope.kind == .deleted ? Self.deleted : Self.changed
        return [Self.name, Self.kind, Self.account, Self.group] + keychain + [moment]
    }

    /// Two columns between columns, and one at each end.
    private static func gaps(_ count: Int) -> Int { 2 * count }

    /// The columns that fit. Names are cut before a column goes; the name gets what is left over.
    func fitting(_ area: Area) -> [Column] {
        var kept = plans
        // The first to go is what the lines about the selected item say too, and it goes before a name is cut short.
        for (heading, spare) in [("GROUP", 3), ("KEYCHAIN", 0), ("CHANGED", 0), ("DELETED", 0)] {
            let least = kept.reduce(Self.gaps(kept.count)) { $0 + $1.least }
            if least + spare > area.columns { kept.removeAll { $0.heading == heading } }
        }
        var spare = area.columns - kept.reduce(Self.gaps(kept.count)) { $0 + $1.wanted }
        for index in kept.indices where spare < 0 {
            let cut = min(-spare, kept[index].wanted - kept[index].least)
            kept[index].wanted -= cut
            spare += cut
        }
        kept[0].wanted += max(0, spare)
        var start = area.column + 1
        return kept.map { plan in
            defer { start += plan.wanted + 2 }
            return Column(
                heading: plan.heading, order: plan.order, start: start, room: plan.wanted, text: plan.text)
        }
    }
}
