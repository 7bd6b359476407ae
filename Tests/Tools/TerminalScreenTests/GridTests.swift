import TerminalScreen
import TerminalText
import Testing

@Suite("The cells of a screen") struct GridTests {
    private func grid(_ rows: Int = 2, _ columns: Int = 10) -> Grid {
        Grid(rows: rows, columns: columns, width: TextWidth())
    }

    @Test("A text is cut where its room ends, between characters")
    func cut() {
        var grid = grid()
        #expect(grid.put("部门经理部门", 0, 0) == 9)
        #expect(grid.text(0) == "部门经理… ")
        #expect(grid.put("deploy", 1, 2, room: 4) == 4)
        #expect(grid.text(1) == "  dep…    ")
    }

    @Test("Half of a wide character never stays")
    func wide() {
        var grid = grid()
        grid.put("部门", 0, 0)
        grid.put("x", 0, 1)
        #expect(grid.text(0) == " x门      ")
        grid.put("y", 0, 2)
        #expect(grid.text(0) == " xy       ")
    }

    @Test("Control characters and loose marks draw nothing", arguments: ["a\u{1B}[2Jb", "a\u{07}b", "a\u{9B}b"])
    func control(text: String) {
        var grid = grid()
        grid.put(text, 0, 0)
        for column in 0..<10 {
            guard case .character(let character) = grid[0, column].content else { continue }
            #expect(!character.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) })
        }
    }

    @Test("Nothing outside of the screen is drawn, and nothing breaks")
    func outside() {
        var grid = grid()
        for (row, column) in [(-1, 0), (2, 0), (0, -1), (0, 10), (0, 400)] {
            grid.put("x", row, column)
            grid.fill("-", row, column, count: 3)
            grid.markSecret(row, column, count: 2)
            grid.restyle(row, column, count: 2, .bold)
        }
        #expect(grid.text(1) == String(repeating: " ", count: 10))
    }

    @Test("An update writes only what has changed, and never erases the screen")
    func update() {
        var old = grid()
        old.put("deploy", 0, 0)
        var new = old
        new.put("y", 0, 3)
        let text = ScreenUpdate.text(from: old, to: new, cursor: nil)
        #expect(text.contains("\u{1B}[1;4H\u{1B}[0my"))
        #expect(!text.contains("depl"))
        let first = ScreenUpdate.text(from: nil, to: new, cursor: (0, 0))
        #expect(first.contains("\u{1B}[1;1H\u{1B}[2K") && first.contains("\u{1B}[2;1H\u{1B}[2K"))
        for update in [text, first] { #expect(!update.contains(/\u{1B}\[[0-3]?J/)) }
    }

    @Test("The cells of a value are blank until its bytes come, and are overwritten when it goes")
    func secret() {
        var marked = grid()
        marked.markSecret(0, 2, count: 3)
        #expect(ScreenUpdate.text(from: grid(), to: marked, cursor: nil).contains("\u{1B}[1;3H\u{1B}[0m   "))
        #expect(ScreenUpdate.text(from: marked, to: grid(), cursor: nil).contains("\u{1B}[1;3H\u{1B}[0m   "))
        #expect(!ScreenUpdate.text(from: marked, to: marked, cursor: nil).contains(" "))
    }

    @Test("A row that had a value is erased and drawn as a whole, whatever stands in it")
    func renewed() {
        var old = grid()
        for row in 0..<2 { old.put("title", row, 0) }
        let text = ScreenUpdate.text(from: old, to: old, renewed: 1..<2, cursor: nil)
        #expect(text.contains("\u{1B}[2;1H\u{1B}[2K") && text.contains("title") && !text.contains("\u{1B}[1;1H"))
    }

    @Test("Cells of a value that something lies on are not all of it")
    func wholeSecret() {
        var marked = grid()
        marked.markSecret(0, 2, count: 3)
        #expect(marked.isSecret(0, 2, count: 3) && marked.hasSecret(in: 0) && !marked.hasSecret(in: 1))
        #expect(
            !marked.isSecret(0, 2, count: 4) && !marked.isSecret(2, 2, count: 1) && !marked.isSecret(0, 8, count: 3))
        marked.put("x", 0, 4)
        #expect(!marked.isSecret(0, 2, count: 3))
    }

    @Test("Leaving erases each line before the first screen returns")
    func leaving() {
        let text = Control.leave(rows: 3, hasSecondScreen: true)
        for row in 1...3 { #expect(text.contains("\u{1B}[\(row);1H\u{1B}[2K")) }
        #expect(text.hasSuffix("\u{1B}[?1049l"))
        #expect(!Control.leave(rows: 3, hasSecondScreen: false).contains("1049"))
        #expect(!text.contains(/\u{1B}\[[0-3]?J/))
    }
}

extension Grid {
    /// A row as text; a value is a row of bullets.
    func text(_ row: Int) -> String {
        (0..<columns).reduce(into: "") { text, column in
            switch self[row, column].content {
            case .character(let character): text.append(character)
            case .covered: break
            case .secret: text.append("•")
            }
        }
    }
}
