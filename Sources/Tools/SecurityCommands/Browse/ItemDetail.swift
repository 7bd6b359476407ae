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
    var history: [String]?
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
        let isCertificate = item.kind == .certificate
        return isCertificate ? [.attributes, .access, .trust, .history] : [.attributes, .access, .history]
    }

    init(_ item: ListedItem, page: Page = .attributes) { (self.item, self.page) = (item, page) }
}

/// A question that is answered by a key of its own, and by everything else with no.
struct BrowseQuestion: Equatable {
    enum Act: Equatable { case delete, purge, overwrite(EditForm), export }

    let act: Act
    let item: ItemMark

    /// The key that means yes. It is not the one that opened the question.
    var key: Character {
        switch act {
        case .delete: "y"
        case .purge: "y"
        case .overwrite: "m"
        case .export: "w"
        }
    }
}
