import KeychainClient
import TerminalScreen
import TerminalText

/// The form, and what stands in the middle of the screen.
extension Painter {
    mutating func drawForm(_ form: EditForm, _ area: Area) {
        let title = form.item.map { say("Edit: \($0.item.title)") } ?? say("Add a password")
        let hasTitle = area.rows > form.fields.count + 2
        if hasTitle {
            put(title, area.row, area.column + 1, room: area.columns - 2, style: .bold)
            rule(area.row + 1, area.column, area.columns)
        }
        let top = area.row + (hasTitle ? 2 : 0)
        let isFocused = if case .form? = browser.layers.last { true } else { false }
        for (index, field) in form.fields.enumerated() {
            let isHere = index == form.place
            draw(label: say(field.label), isHere, top + index, area)
            drawField(
                field.text, top + index, area.column + 14, area.columns - 16,
                hasCursor: isHere && isFocused)
        }
        let row = top + form.fields.count
        draw(label: say("Password"), form.isInPassword, row, area)
        put(say(form.password.meaning), row, area.column + 14, room: area.columns - 16)
        if form.isInPassword, isFocused { picture.cursor = (row, area.column + 14) }
        let notes: [Words] = [
            "Space in the last line chooses how the password is given.",
            "The version before the change is kept (h history).",
        ]
        if row + 1 < area.end { rule(row + 1, area.column, area.columns) }
        for (index, note) in notes.enumerated() where row + 2 + index < area.end {
            put(say(note), row + 2 + index, area.column + 2, room: area.columns - 3)
        }
    }

    private mutating func draw(label: String, _ isHere: Bool, _ row: Int, _ area: Area) {
        guard row < area.end else { return }
        put(isHere ? ">" : " ", row, area.column + 1)
        put(label, row, area.column + 2, room: 10)
        put("[", row, area.column + 13)
        put("]", row, area.column + area.columns - 2)
    }

    mutating func drawDialog() {
        switch browser.layers.last {
        case .question(let question): drawBox(lines(of: question))
        case .failure(let failure): drawBox(lines(of: failure))
        default: break
        }
    }

    private func lines(of question: BrowseQuestion) -> [String] {
        let title = question.item.item.title
        switch question.act {
        case .delete:
            let way: Words =
                question.item.item.leavesVersions
                ? "It can be brought back (Deleted, u)." : "It cannot be brought back."
            return [say("Delete \(title)?"), "", say(way), "", choice(question)]
        case .purge:
            return [
                say("Delete \(title) for ever?"), "", say("Its earlier versions go too. It cannot be brought back."),
                "", choice(question),
            ]
        case .export:
            return [
                say("Write \(title) into a file?"), "", CertificateExport.fileName(of: question.item.item),
                say("It is written into the folder that this was started in."), "", choice(question),
            ]
        case .overwrite:
            return [
                say("\(title) was changed by another program meanwhile."), "",
                say("Saving replaces what it wrote; that stays in the history."), "", choice(question),
            ]
        }
    }

    private func choice(_ question: BrowseQuestion) -> String {
        "[ \(say(question.meaning))  \(question.key) ]     >[ \(say("keep"))  Esc ]"
    }

    private func lines(of failure: FailureText) -> [String] {
        let room = max(20, min(70, size.columns - 8))
        let parts = [failure.problem, failure.cause, failure.remedy].filter { !$0.isEmpty }
        return parts.flatMap { wrapped(DisplayName.shown(say($0)), room) + [""] } + [say("Esc closes this.")]
    }

    /// A frame in the middle with some lines, above everything else.
    private mutating func drawBox(_ lines: [String]) {
        let fitting = lines.flatMap { width.columns($0) > size.columns - 6 ? wrapped($0, size.columns - 6) : [$0] }
        // A small screen has room for the words only.
        let isTight = fitting.count > size.rows - 5
        let lines = Array(fitting.filter { !isTight || !$0.isEmpty }.prefix(size.rows - 5))
        let inner = min(size.columns - 6, max(30, lines.map { width.columns($0) }.max() ?? 0))
        let (top, left) = (max(2, (size.rows - lines.count - 2) / 2), (size.columns - inner - 4) / 2)
        for row in top..<(top + lines.count + 2) {
            picture.grid.fill(" ", row, left, count: inner + 4)
            put(String(frame.vertical), row, left)
            put(String(frame.vertical), row, left + inner + 3)
        }
        for row in [top, top + lines.count + 1] { rule(row, left, inner + 4) }
        for (index, line) in lines.enumerated() { put(line, top + 1 + index, left + 2, room: inner) }
        picture.cursor = (top + lines.count, left + 2)
    }

    /// A text in lines of so many columns, broken between words.
    func wrapped(_ text: String, _ room: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            let longer = line.isEmpty ? String(word) : "\(line) \(word)"
            if width.columns(longer) <= room || line.isEmpty {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
            while width.columns(lines[lines.count - 1]) > room { breakLast(&lines, room) }
        }
        return lines
    }

    /// Breaks the last line between characters: languages without spaces have long words.
    private func breakLast(_ lines: inout [String], _ room: Int) {
        var (line, rest) = (lines.removeLast(), "")
        while width.columns(line) > max(2, room), let last = line.popLast() { rest = String(last) + rest }
        lines += [line, rest]
    }
}

/// The states without a list.
extension Painter {
    mutating func drawLocked() {
        let wait = browser.status.wait
        var lines: [String] = [say("This keychain is locked."), "", say("Names and values are sealed."), ""]
        lines.append("> [ \(say("Unlock"))  Enter ]")
        if wait > 0 { lines += ["", say("After wrong passwords the next one counts in \(wait) s.")] }
        drawMiddle(lines)
    }

    mutating func drawLost() {
        guard let failure = browser.lost else { return }
        let room = max(20, main.columns - 4)
        let foreign = [failure.problem, failure.cause, failure.remedy].filter { !$0.isEmpty }
            .flatMap { wrapped(DisplayName.shown(say($0)), room) }
        drawMiddle(
            [say("The keychain cannot be reached."), ""] + foreign
                + ["", say("A change whose answer did not come may or may not be stored.")])
    }

    private mutating func drawMiddle(_ lines: [String]) {
        let top = main.row + max(0, (main.rows - lines.count) / 3)
        for (index, line) in lines.enumerated() where top + index < main.end {
            put(line, top + index, main.column + 2, room: main.columns - 3)
        }
        picture.cursor = (top, main.column + 2)
    }
}

/// The page of keys.
extension Painter {
    private static let keys: [(String, Words)] = [
        ("↑ ↓ j k", "move"), ("PgUp PgDn", "a page"), ("Home End g G", "first, last"), ("→ Enter", "open"),
        ("← Esc", "back"), ("Tab", "the other pane"), ("/", "search"), ("s S", "sort by the next column, reverse"),
        ("1…7", "category"), ("r", "reveal or hide (30 s)"), ("c", "copy; the clipboard clears in 45 s"),
        ("y", "copy the kc:// reference"), ("e a", "edit, add"), ("d u", "delete, undo"),
        ("D", "delete for ever"), ("h w v", "history, access, trust"), ("x", "export a certificate"),
        ("Space", "quick look; spell a value"), ("L", "lock now"), ("R", "read again"),
        ("Ctrl-L Ctrl-Z", "draw again, suspend"), ("q", "quit"),
    ]

    mutating func drawHelp() {
        put(say("KEYS"), 0, 1, style: .bold)
        put(say("Esc closes"), 0, size.columns - 12)
        rule(1, 0, size.columns)
        let isWide = size.columns >= 76
        let rows = max(1, size.rows - 3)
        let perColumn = isWide ? (Self.keys.count + 1) / 2 : Self.keys.count
        let first = isWide ? 0 : min(browser.helpPlace, max(0, Self.keys.count - rows))
        for (index, key) in Self.keys.dropFirst(first).enumerated() {
            let row = 2 + index % perColumn
            guard index % perColumn < rows else { continue }
            let column = index / perColumn * (size.columns / 2)
            put(key.0, row, column + 1, room: 14, style: .bold)
            put(say(key.1), row, column + 16, room: (isWide ? size.columns / 2 : size.columns) - 17)
        }
        let notes: [Words] = [
            "Click selects, a double click opens, the wheel scrolls; a click never deletes or reveals.",
            "script(1) and a multiplexer's log record everything that is shown.",
            "For a screen reader: security browse --linear",
        ]
        for (index, note) in notes.enumerated() where 3 + perColumn + index < size.rows {
            put(say(note), 3 + perColumn + index, 1, room: size.columns - 2)
        }
        picture.cursor = (0, 1)
    }
}

extension EditForm.Password {
    fileprivate var meaning: Words {
        switch self {
        case .unchanged: "stays as it is"
        case .typed: "will be asked for"
        case .generated: "will be generated"
        }
    }
}
