/// The texts of an item that words are looked for in: its name and its label, or its account.
enum SearchedField { case names, account }

/// Whether a text is looked for as a whole, or as a part.
enum SearchExtent { case part, whole }

/// An item as words and filters look at it, whatever it is kept as.
protocol SearchedItem {
    var kind: ListedItem.Kind { get }
    /// Seconds since 2001; nil where the item has no such moment.
    var changed: Double? { get }
    var expires: Double? { get }
    func has(_ text: SearchText, as extent: SearchExtent, of field: SearchedField) -> Bool
}

extension ListedItem: SearchedItem {
    func has(_ text: SearchText, as extent: SearchExtent, of field: SearchedField) -> Bool {
        guard field == .names else { return SearchText(account).has(text, as: extent) }
        // An item without a label has none to be found by.
        return ([name] + (label.isEmpty ? [] : [label])).contains { SearchText($0).has(text, as: extent) }
    }
}

extension SearchText {
    /// Whether this text is the other one, or has it as a part.
    func has(_ text: SearchText, as extent: SearchExtent) -> Bool {
        extent == .whole ? isEqual(to: text) : contains(text)
    }
}
