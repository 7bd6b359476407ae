import TerminalScreen

/// A line of text that is edited. Nothing secret is typed into it.
struct TextField: Equatable {
    private(set) var characters: [Character]
    /// Where the next character goes.
    private(set) var cursor: Int
    /// So many characters can be typed, which is more than any name needs. A text that was longer before stays whole.
    private static let most = 1024

    init(_ text: String = "") {
        characters = Array(text)
        cursor = characters.count
    }

    var text: String { String(characters) }

    /// Does what a key or a paste means in a text.
    ///
    /// - Returns: false for an event that means nothing here.
    mutating func take(event: InputEvent) -> Bool {
        switch event {
        case .key(let key): return take(key: key)
        case .paste(let text):
            text.forEach { insert($0) }
            return true
        default: return false
        }
    }

    private mutating func take(key: InputEvent.Key) -> Bool {
        switch key {
        case .character(let character): insert(character)
        case .backspace: remove(cursor - 1)
        case .delete: remove(cursor)
        case .left: cursor = max(0, cursor - 1)
        case .right: cursor = min(characters.count, cursor + 1)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = characters.count
        case .control("u"): (characters, cursor) = ([], 0)
        case .control("w"): removeWord()
        default: return false
        }
        return true
    }

    private mutating func insert(_ character: Character) {
        guard characters.count < Self.most else { return }
        characters.insert(character, at: cursor)
        cursor += 1
    }

    private mutating func remove(_ index: Int) {
        guard characters.indices.contains(index) else { return }
        characters.remove(at: index)
        cursor = min(index, cursor)
    }

    private mutating func removeWord() {
        while cursor > 0, characters[cursor - 1] == " " { remove(cursor - 1) }
        while cursor > 0, characters[cursor - 1] != " " { remove(cursor - 1) }
    }
}
