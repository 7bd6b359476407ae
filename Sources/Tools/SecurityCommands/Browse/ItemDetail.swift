/// One item as its own screen shows it.
struct ItemDetail {
    enum Page: CaseIterable { case attributes, access, history }

    /// Whether the value is shown.
    enum Secret: Equatable {
        case hidden
        /// The answer of the user is waited for.
        case asking
        /// It hides at a moment, in seconds since 2001; it takes so many columns in each row.
        case shown(until: Double, columns: [Int])
    }

    let item: ListedItem
    var page = Page.attributes
    /// Its attributes; nil until they were read.
    var lines: [(label: String, text: String)]?
    var history: [String]?
    var secret = Secret.hidden
    /// The first line that is shown.
    var scroll = 0

    /// How long a value is shown, in seconds.
    static let shownTime = 30.0

    init(_ item: ListedItem, page: Page = .attributes) { (self.item, self.page) = (item, page) }
}

/// A question that is answered by a key of its own, and by everything else with no.
struct BrowseQuestion: Equatable {
    enum Act: Equatable { case delete, purge, overwrite(EditForm) }

    let act: Act
    let item: ItemMark

    /// The key that means yes. It is not the one that opened the question.
    var key: Character {
        switch act {
        case .delete: "y"
        case .purge: "y"
        case .overwrite: "m"
        }
    }
}
