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
        if browser.status.isLocked { return [.init(.enter, "Enter", "unlock"), .init("q", "quit")] }
        switch browser.layers.last {
        case .search: return [.init(.enter, "Enter", "list"), .init(.escape, "Esc", "clear")]
        case .detail(let detail): return of(detail)
        case .form: return form
        case .question(let question):
            return [.init(question.key, question.meaning), .init(.escape, "Esc", "keep")]
        case .failure, .help: return [.init(.escape, "Esc", "close")]
        case nil: return browser.catalog.scope.kind == .deleted ? deleted : list
        }
    }

    private static let list: [KeyHint] = [
        .init(.enter, "Enter", "open"), .init("c", "copy"), .init("r", "reveal"), .init("e", "edit"),
        .init("a", "add"), .init("d", "delete"), .init("/", "search"), .init(.tab, "Tab", "pane"),
        .init("u", "undo"),
    ]
    private static let deleted: [KeyHint] = [
        .init("u", "bring back"), .init("D", "delete for ever"), .init("/", "search"), .init(.tab, "Tab", "pane"),
    ]
    private static let form: [KeyHint] = [
        .init(.tab, "Tab", "next field"), .init(.control("s"), "Ctrl-S", "save"), .init(.escape, "Esc", "cancel"),
    ]

    private static func of(_ detail: ItemDetail) -> [KeyHint] {
        if case .shown = detail.secret {
            return [
                .init("r", "hide now"), .init("c", "copy"), .init(.character(" "), "Space", "spell"),
                .init(.escape, "Esc", "hide"),
            ]
        }
        if detail.pages.contains(.trust) {
            return [
                .init("v", "trust"), .init("x", "export"), .init("d", "delete"), .init("w", "access"),
                .init("h", "history"), .init("y", "reference"), .init(.tab, "Tab", "page"),
                .init(.escape, "Esc", "back"),
            ]
        }
        return [
            .init("r", "reveal"), .init("c", "copy"), .init("e", "edit"), .init("d", "delete"), .init("h", "history"),
            .init("w", "access"), .init("y", "reference"), .init(.tab, "Tab", "page"), .init(.escape, "Esc", "back"),
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
        case .export: "write"
        }
    }
}
