import KeychainClient
import TerminalScreen
import TerminalText

/// The form, and what stands in the middle of the screen.
extension Painter {
    mutating func drawForm(_ form: EditForm, _ area: Area) {
        let title = form.item.map { say("Edit: \($0.item.title)") } ?? say("Add a password")
        let hasTitle = area.rows > form.fields.count + (form.item == nil ? 3 : 2)
        if hasTitle {
            put(title, area.row, area.column + 1, room: area.columns - 2, style: .bold)
            rule(area.row + 1, area.column, area.columns)
        }
        let top = area.row + (hasTitle ? 2 : 0)
        guard form.isFilled else {
            put(say("reading …"), top, area.column + 2, room: area.columns - 3)
            return
        }
        let isFocused = if case .form? = browser.layers.last { true } else { false }
        for (index, field) in form.fields.enumerated() {
            let isHere = index == form.place
            draw(label: say(field.label), isHere, top + index, area)
            drawField(
                field.text, top + index, area.column + 14, area.columns - 16,
                hasCursor: isHere && isFocused)
        }
        var row = top + form.fields.count
        draw(label: say("Password"), form.isInPassword, row, area)
        put(say(form.password.meaning), row, area.column + 14, room: area.columns - 16)
        if form.isInPassword, isFocused { picture.cursor = (row, area.column + 14) }
        if form.item == nil {
            row += 1
            drawKeychain(form, isFocused, row, area)
        }
        drawNotes(form, row, area)
    }

    /// The keychain of a new item.
    private mutating func drawKeychain(_ form: EditForm, _ isFocused: Bool, _ row: Int, _ area: Area) {
        if form.hasKeychainChoice {
            draw(label: say("Keychain"), form.isInKeychain, row, area)
        } else {
            put(say("Keychain"), row, area.column + 2, room: 10)
        }
        put(DisplayName.shown(form.keychain.name), row, area.column + 14, room: area.columns - 16)
        if form.isInKeychain, isFocused { picture.cursor = (row, area.column + 14) }
    }

    private mutating func drawNotes(_ form: EditForm, _ row: Int, _ area: Area) {
        let history: [Words] =
            form.item == nil
            ? [] : ["The version before the change is kept (h history).", "There, u brings it back."]
        let choice: Words =
            form.hasKeychainChoice
            ? "Space chooses how the password is given, and the keychain."
            : "Space in the last line chooses how the password is given."
        let notes = [choice] + history
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
        case .export(let mark, let field): drawExport(mark, field)
        default: break
        }
    }

    /// The name of a file stands in the last line, so that it is seen on the smallest screen.
    private mutating func drawExport(_ mark: ItemMark, _ field: TextField) {
        let title = width.cut(mark.item.title, to: max(20, size.columns - 12))
        let blank = String(repeating: " ", count: max(30, min(60, size.columns - 6)))
        drawBox([
            say("Write \(title) into a file"), "",
            say("A name alone is in the folder that this was started in. ~/ is the home folder."), "", blank,
        ])
        guard let place = picture.cursor else { return }
        put("[", place.row, place.column)
        put("]", place.row, place.column + width.columns(blank) - 1)
        drawField(field, place.row, place.column + 1, width.columns(blank) - 2, hasCursor: true)
    }

    private func lines(of question: BrowseQuestion) -> [String] {
        // A longer name would push the answers out of the frame.
        let title = width.cut(question.item.item.title, to: max(20, 2 * (size.columns - 12)))
        switch question.act {
        case .delete:
            let way: Words =
                question.item.item.leavesVersions
                ? "It can be brought back (Deleted, u)." : "It cannot be brought back."
            return [say("Delete \(title)?"), "", say(way), "", choice(question)]
        case .purge:
            let way: Words =
                question.item.item.kind == .deleted
                ? "Its earlier versions go too. It cannot be brought back."
                : "It is not deleted yet: it goes now, with its earlier versions. It cannot be brought back."
            return [say("Delete \(title) for ever?"), "", say(way), "", choice(question)]
        case .replace(let path):
            return [
                say("There is a file of this name already. Replace it?"), DisplayName.shown(path), "",
                choice(question),
            ]
        case .revert(let change):
            let moment = say(ItemDate(seconds: change.time).long(now: now))
            return [
                say("Bring back what \(title) was before this change?"), moment, "",
                say("Its present state stays in the history."), "", choice(question),
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
        let problem = failure.isSentence ? say(failure.problem) : sentence(say(failure.problem))
        let parts = [problem, say(failure.cause), say(failure.remedy)].filter { !$0.isEmpty }
        return parts.flatMap { wrapped(DisplayName.shown($0), room) + [""] } + [say("Esc closes this.")]
    }

    /// A message without the name of the command, which begins it on a line of its own.
    private func sentence(_ message: String) -> String {
        let command = "browse: "
        let text = message.hasPrefix(command) ? message.dropFirst(command.count) : message[...]
        return text.prefix(1).uppercased() + text.dropFirst()
    }

    /// A frame in the middle with some lines, above everything else.
    private mutating func drawBox(_ lines: [String]) {
        let (columns, most) = (size.columns - 6, size.rows - 5)
        let answers = wrapped(lines.last ?? "", columns)
        let text = lines.dropLast().flatMap { wrapped($0, columns) }
        // A small screen has room for the words only, and the answers come before the end of a text.
        let isTight = text.count + answers.count > most
        let words = isTight ? text.filter { !$0.isEmpty } : text
        let lines = words.prefix(max(0, most - answers.count)) + answers
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

    /// A text in lines of so many columns, broken between words. Spaces stay, but for the one at a break.
    ///
    /// Each character is looked at a fixed number of times: a text of 60,000 characters is somebody else's.
    func wrapped(_ text: String, _ room: Int) -> [String] {
        guard width.columns(text) > room else { return [text] }
        var (lines, used) = ([String](), 0)
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let parts = pieces(of: word, room)
            for (index, part) in parts.enumerated() {
                let columns = width.columns(part)
                if index == 0, !lines.isEmpty, used + 1 + columns <= room, parts.count == 1 {
                    lines[lines.count - 1] += " \(part)"
                    used += 1 + columns
                } else {
                    lines.append(part)
                    used = columns
                }
            }
        }
        return lines
    }

    /// A word in parts of so many columns: languages without spaces have long words.
    private func pieces(of word: Substring, _ room: Int) -> [String] {
        var (parts, part, used) = ([String](), "", 0)
        for cluster in word {
            let columns = width.columns(cluster)
            if used + columns > room, !part.isEmpty {
                parts.append(part)
                (part, used) = ("", 0)
            }
            part.append(cluster)
            used += columns
        }
        return parts + [part]
    }
}

/// The states without a list.
extension Painter {
    mutating func drawLocked() {
        let wait = browser.status.wait
        var lines: [String] = [say("This keychain is locked."), "", say("Names and values are sealed."), ""]
        lines.append("> [ \(say("Unlock"))  Enter ]")
        if let refusal = browser.refusal, wait == 0 {
            let text = refusal.problem
            lines += [""] + wrapped(DisplayName.shown(say(text)), max(20, main.columns - 4))
        }
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
        ("← Esc", "back"), ("Tab", "the other pane"), ("/", "search"), ("s S", "sort column, direction"),
        ("1…7", "category"), ("r", "reveal or hide (30 s)"), ("c", "copy (clears in 45 s)"),
        ("y", "copy the reference"), ("e a", "edit, add"), ("d u", "delete, undo"),
        ("D", "delete for ever"), ("h w v", "history, access, trust"), ("x", "export a certificate"),
        ("Space", "look, spell a value"), ("L", "lock now"), ("R", "read again"),
        ("Ctrl-L Ctrl-Z", "draw again, suspend"), ("q", "quit"),
    ]

    mutating func drawHelp() {
        put(say("KEYS"), 0, 1, style: .bold)
        put(say("Esc closes"), 0, size.columns - 12)
        rule(1, 0, size.columns)
        let isWide = size.columns >= 76
        let rows = max(1, size.rows - 3)
        let perColumn = isWide ? (Self.keys.count + 1) / 2 : Self.keys.count
        picture.lastScroll = isWide ? 0 : max(0, Self.keys.count - rows)
        let first = min(browser.helpPlace, picture.lastScroll)
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
        let lines = notes.flatMap { wrapped(say($0), size.columns - 2) }
        for (index, line) in lines.enumerated() where 3 + perColumn + index < size.rows {
            put(line, 3 + perColumn + index, 1, room: size.columns - 2)
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
