/// One item as its own screen shows it.
struct ItemDetail {
    enum Page { case attributes, access, trust, history }

    /// Whether the value is shown.
    enum Secret: Equatable {
        case hidden
        /// The answer of the user is waited for.
        case asking
        /// It hides at a moment, in seconds since 2001; it takes so many columns in each row.
        case shown(until: Double, columns: [Int], isSpelled: Bool = false)
    }

    let item: ListedItem
    var page = Page.attributes
    /// Its attributes; nil until they were read.
    var lines: [(label: String, text: String)]?
    /// Its changes, the last one first; nil until they were read.
    var history: [HistoryEntry]?
    /// The change that is selected.
    var version = 0
    /// The latest requests to its group; nil until they were read.
    var uses: [String]?
    /// The chain of a certificate, and the purposes that it is trusted for; nil until it was evaluated.
    var trust: [String]?
    var secret = Secret.hidden
    /// The first line that is shown.
    var scroll = 0

    /// How long a value is shown, in seconds.
    static let shownTime = 30.0

    /// The pages that an item has.
    var pages: [Page] {
        item.hasCertificate ? [.attributes, .access, .trust, .history] : [.attributes, .access, .history]
    }

    /// The change that is selected on the page of them.
    var selectedChange: HistoryEntry? {
        guard page == .history, let history, history.indices.contains(version) else { return nil }
        return history[version]
    }

    init(_ item: ListedItem, page: Page = .attributes) { (self.item, self.page) = (item, page) }
}

/// A question that is answered by a key of its own, and by everything else with no.
struct BrowseQuestion: Equatable {
    enum Act: Equatable {
        case delete, purge, overwrite(EditForm)
        /// A file is there already that a certificate is to be written into.
        case replace(String)
        /// The item becomes again as it was before a change.
        case revert(HistoryEntry)
    }

    let act: Act
    let item: ItemMark

    /// The key that means yes. It is not the one that opened the question.
    var key: Character {
        switch act {
        case .delete: "y"
        case .purge: "y"
        case .overwrite: "m"
        case .replace: "w"
        case .revert: "y"
        }
    }
}
