import KeychainClient

/// A line of the sidebar that can be chosen.
enum SidebarEntry: Equatable {
    case keychain(ChosenKeychain)
    /// A kind of items; nil for all.
    case category(ListedItem.Kind?)
    /// The items of a program or a group, by the title.
    case group(String)

    /// The kinds, in the order of their digits.
    static let kinds: [ListedItem.Kind?] = [nil, .password, .internet, .certificate, .key, .identity, .deleted]
    /// More programs than any screen has lines for.
    private static let mostGroups = 50

    /// The lines, from above.
    static func all(_ keychains: [ChosenKeychain], _ catalog: ItemCatalog) -> [SidebarEntry] {
        keychains.map { .keychain($0) } + kinds.map { .category($0) }
            + catalog.groups.prefix(mostGroups).map { .group($0.title) }
    }

    /// Whether the list shows what the line is about.
    func isShown(in scope: ItemCatalog.Scope) -> Bool {
        switch self {
        case .keychain(let keychain): scope.keychain == keychain
        case .category(let kind): scope.group == nil && scope.kind == kind
        case .group(let title): scope.group == title
        }
    }
}
