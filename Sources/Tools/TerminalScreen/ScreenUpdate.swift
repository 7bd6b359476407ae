/// The bytes that make a terminal show a grid, where another one stands now.
///
/// They consist of cursor positions (CUP), erased lines (EL), renditions (SGR) and characters. The whole screen is
/// never erased by ED: terminals push what ED removes into their scrollback, a secret included. Cells are overwritten
/// in place. Behind each character that is not ASCII the position is set again, because terminals differ in its width.
package enum ScreenUpdate {
    /// - Parameters:
    ///   - old: what the terminal shows; nil when that is not known, and every line is erased first.
    ///   - renewed: rows that are erased and drawn as a whole, because a secret was in them.
    ///   - cursor: where the cursor is to stand, counted from 0; nil to hide it.
    package static func text(
        from old: Grid?, to new: Grid, renewed: Range<Int> = 0..<0, cursor: (row: Int, column: Int)?
    ) -> String {
        var writer = Writer()
        writer.text += Control.beginUpdate + Control.hideCursor
        let known = old.flatMap { $0.rows == new.rows && $0.columns == new.columns ? $0 : nil }
        for row in 0..<new.rows { draw(row, renewed.contains(row) ? nil : known, new, &writer) }
        writer.setStyle([])
        if let cursor {
            writer.text += Control.move(cursor.row, cursor.column) + Control.showCursor
        }
        writer.text += Control.endUpdate
        return writer.text
    }

    private static func draw(_ row: Int, _ old: Grid?, _ new: Grid, _ writer: inout Writer) {
        if old == nil {
            writer.setStyle([])
            writer.move(row, 0)
            writer.text += Control.eraseLine
        }
        for column in 0..<new.columns {
            let cell = new[row, column]
            let before = old?[row, column] ?? .blank
            // The second column is drawn with the first.
            guard cell != before, cell.content != .covered else { continue }
            writer.draw(cell, row, column)
        }
    }

    /// Collects the bytes, and knows where the cursor is and how it draws.
    private struct Writer {
        var text = ""
        private var style: CellStyle?
        private var place: (row: Int, column: Int)?

        mutating func draw(_ cell: Cell, _ row: Int, _ column: Int) {
            guard case .character(let character) = cell.content else { return drawUnderSecret(row, column) }
            move(row, column)
            setStyle(cell.style)
            text.append(character)
            place = character.isASCII ? (row, column + 1) : nil
        }

        /// The place of a secret is blank until its bytes come.
        private mutating func drawUnderSecret(_ row: Int, _ column: Int) {
            move(row, column)
            setStyle([])
            text.append(" ")
            place = (row, column + 1)
        }

        mutating func move(_ row: Int, _ column: Int) {
            if let place, place == (row, column) { return }
            text += Control.move(row, column)
            place = (row, column)
        }

        mutating func setStyle(_ new: CellStyle) {
            guard style != new else { return }
            style = new
            text += Control.rendition(new)
        }
    }
}
