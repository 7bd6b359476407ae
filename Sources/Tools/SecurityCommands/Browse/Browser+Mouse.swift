import TerminalScreen

/// The mouse. A click selects and opens; it never deletes or reveals.
extension Browser {
    private static let doubleTime = 0.4
    private static let wheelRows = 3

    mutating func take(mouse: InputEvent.Mouse, _ target: Picture.Target.Act?, _ now: Double) -> [Effect] {
        if isDragging, mouse.action == .drag || mouse.action == .release {
            sidebarWidth = width(ofSidebar: mouse.column)
            isDragging = mouse.action == .drag
            return []
        }
        switch mouse.action {
        case .wheelUp: return scroll(-Self.wheelRows)
        case .wheelDown: return scroll(Self.wheelRows)
        case .press: return press(mouse, target, now)
        case .release, .drag: return []
        }
    }

    private mutating func scroll(_ rows: Int) -> [Effect] {
        if case .detail(var detail)? = layers.last {
            detail.scroll = max(0, detail.scroll + rows)
            layers[layers.count - 1] = .detail(detail)
        } else if layers.isEmpty {
            catalog.select(catalog.place + rows)
        }
        return []
    }

    private mutating func press(
        _ mouse: InputEvent.Mouse, _ target: Picture.Target.Act?, _ now: Double
    ) -> [Effect] {
        let isDouble =
            lastPress.map { $0.mouse.row == mouse.row && now - $0.time < Self.doubleTime } ?? false
        lastPress = (mouse, now)
        switch target {
        case .press(let key): return pressed(key, now)
        case .divider: isDragging = true
        case .item(let index) where layers.isEmpty || size.isWide && isDetail: return select(index, isDouble)
        case .sidebar(let index) where layers.isEmpty:
            (pane, sidebarPlace) = (.sidebar, index)
            return sidebar.indices.contains(index) ? show(entry: sidebar[index]) : []
        case .sort(let order) where layers.isEmpty:
            catalog.sort(by: order, reversed: order == catalog.order && !catalog.isReversed)
        case .item, .sidebar, .sort, nil: break
        }
        return []
    }

    private var isDetail: Bool { if case .detail? = layers.last { true } else { false } }

    private mutating func select(_ index: Int, _ opens: Bool) -> [Effect] {
        pane = .list
        catalog.select(index)
        if isDetail { layers.removeLast() }
        guard opens, let item = catalog.selected else { return [] }
        return open(item, .attributes)
    }

    /// The key that a question takes for yes.
    private var answer: InputEvent.Key? {
        if case .question(let question)? = layers.last { .character(question.key) } else { nil }
    }

    /// A word in the last line: keys that show a value, or delete or save something, are pressed by hand only.
    private mutating func pressed(_ key: InputEvent.Key, _ now: Double) -> [Effect] {
        let byHand: [InputEvent.Key] = [.character("r"), .character("D"), .character("u"), .control("s")]
        // Where the keychain is lost, r tries to reach it.
        guard lost != nil || !byHand.contains(key) && key != answer && !(isNamingFile && key == .enter) else {
            note = "This takes the key itself."
            return []
        }
        return take(.key(key), now: now)
    }
}
