import KeychainModel
import TerminalScreen

/// A key and what it does, in the last line. A click on it presses the key.
struct KeyHint {
    let key: InputEvent.Key
    let name: String
    let meaning: Words

    private init(_ key: InputEvent.Key, _ name: String, _ meaning: Words) {
        (self.key, self.name, self.meaning) = (key, name, meaning)
    }

    private init(_ character: Character, _ meaning: Words) {
        self.init(.character(character), String(character), meaning)
    }

    /// The keys and their effects now, the most wanted first.
    static func of(_ browser: Browser) -> [KeyHint] {
        if browser.lost != nil { return [.init("r", "try now"), .init("q", "quit")] }
        if browser.status.isLocked {
            let others: [KeyHint] = browser.keychains.count > 1 ? [.init(.tab, "Tab", "the next keychain")] : []
            return [.init(.enter, "Enter", "unlock")] + others + [.init("q", "quit")]
        }
        switch browser.layers.last {
        case .search: return [.init(.enter, "Enter", "list"), .init(.escape, "Esc", "clear")]
        case .detail(let detail): return of(detail, browser.catalog.own.have(detail.item.group))
        case .form: return form
        case .export: return [.init(.enter, "Enter", "write"), .init(.escape, "Esc", "cancel")]
        case .question(let question):
            return [.init(question.key, question.meaning), .init(.escape, "Esc", "keep")]
        case .failure, .help: return [.init(.escape, "Esc", "close")]
        case nil: return browser.catalog.scope.kind == .deleted ? deleted : list(browser)
        }
    }

    private static func list(_ browser: Browser) -> [KeyHint] {
        let item = browser.catalog.selected
        let isOwn = item.map { browser.catalog.own.have($0.group) } ?? false
        let acts = item.map { [.init(.enter, "Enter", "open")] + (isOwn ? values(of: $0) : []) } ?? []
        let delete: [KeyHint] = isOwn && item?.kind != .identity ? [.init("d", "delete")] : []
        let panes: [KeyHint] =
            browser.size.hasSidebar
            ? [.init(.tab, "Tab", "pane")]
            : browser.keychains.count > 1 ? [.init(.tab, "Tab", "the next keychain")] : []
        return acts + [.init("a", "add")] + delete + [.init("/", "search")] + panes + [.init("u", "undo")]
    }

    /// The keys for the value of an item: that of a key is no text.
    private static func values(of item: ListedItem) -> [KeyHint] {
        if item.hasCertificate { return [.init("v", "trust"), .init("x", "export")] }
        return item.itemClass.isPassword ? [copy, reveal, edit] : []
    }

    private static let copy = KeyHint("c", "copy")
    private static let reveal = KeyHint("r", "reveal")
    private static let edit = KeyHint("e", "edit")
    private static let deleted: [KeyHint] = [
        .init("u", "bring back"), .init("D", "delete for ever"), .init("/", "search"), .init(.tab, "Tab", "pane"),
    ]
    private static let form: [KeyHint] = [
        .init(.tab, "Tab", "next field"), .init(.control("s"), "Ctrl-S", "save"), .init(.escape, "Esc", "cancel"),
    ]

    private static func of(_ detail: ItemDetail, _ isOwn: Bool) -> [KeyHint] {
        if detail.item.kind == .deleted {
            return [.init("u", "bring back"), .init("D", "delete for ever"), .init(.escape, "Esc", "back")]
        }
        if case .shown = detail.secret {
            return [
                .init("r", "hide now"), .init("c", "copy"), .init(.character(" "), "Space", "spell"),
                .init(.escape, "Esc", "hide"),
            ]
        }
        if detail.selectedChange != nil {
            return [
                .init(.down, "↑↓", "select"), .init("u", "bring back"), .init(.tab, "Tab", "page"),
                .init(.escape, "Esc", "back"),
            ]
        }
        // Certificate and key of an identity are deleted one by one.
        let delete: [KeyHint] = detail.item.kind == .identity ? [] : [.init("d", "delete")]
        let values = detail.item.itemClass.isPassword ? [reveal, copy, edit] : values(of: detail.item)
        return (isOwn ? values + delete + [.init("h", "history")] : []) + [
            .init("w", "access"), .init("y", "reference"),
            .init(.tab, "Tab", "page"), .init(.escape, "Esc", "back"),
        ]
    }
}

extension BrowseQuestion {
    /// The effect of the key that means yes.
    var meaning: Words {
        switch act {
        case .delete: "delete"
        case .purge: "delete for ever"
        case .overwrite: "save mine"
        case .replace: "replace"
        case .revert: "bring back"
        }
    }
}
