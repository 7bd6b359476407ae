package import TerminalText

/// The content of a screen: rows of cells. It is a value, and knows nothing of a terminal.
package struct Grid: Equatable, Sendable {
    package let rows, columns: Int
    private var cells: [Cell]
    private let width: TextWidth

    /// - Parameters:
    ///   - rows: at least 1.
    ///   - columns: at least 1.
    package init(rows: Int, columns: Int, width: TextWidth) {
        (self.rows, self.columns) = (max(1, rows), max(1, columns))
        self.width = width
        cells = Array(repeating: .blank, count: self.rows * self.columns)
    }

    package static func == (left: Grid, right: Grid) -> Bool {
        left.rows == right.rows && left.columns == right.columns && left.cells == right.cells
    }

    /// The cell at a place, both counted from 0.
    package subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    /// Puts a text into a row, and cuts what has no room. Clusters without a width and control characters are left out:
    /// they would draw over other cells.
    ///
    /// - Parameter room: the most columns; nil for all to the end of the row.
    /// - Returns: the columns that were used.
    @discardableResult
    package mutating func put(
        _ text: String, _ row: Int, _ column: Int, room: Int? = nil, style: CellStyle = []
    ) -> Int {
        guard row >= 0, row < rows, column >= 0 else { return 0 }
        let end = min(columns, column + (room ?? columns))
        var place = column
        for cluster in width.cut(text, to: max(0, end - column)) where !cluster.isControl {
            let count = width.columns(cluster)
            guard count > 0, place + count <= end else { continue }
            set(Cell(.character(cluster), style), row, place)
            for covered in 1..<max(1, count) { set(Cell(.covered, style), row, place + covered) }
            place += count
        }
        return place - column
    }

    /// Repeats one character of one column.
    package mutating func fill(_ character: Character, _ row: Int, _ column: Int, count: Int, style: CellStyle = []) {
        guard row >= 0, row < rows else { return }
        for place in max(0, column)..<max(max(0, column), min(columns, column + count)) {
            set(Cell(.character(character), style), row, place)
        }
    }

    /// Marks the cells where a secret is shown.
    package mutating func markSecret(_ row: Int, _ column: Int, count: Int) {
        guard row >= 0, row < rows else { return }
        for place in max(0, column)..<max(max(0, column), min(columns, column + count)) {
            set(Cell(.secret), row, place)
        }
    }

    /// Whether a secret is shown in some cells of a row.
    package func hasSecret(in row: Int) -> Bool {
        (0..<columns).contains { self[row, $0].content == .secret }
    }

    /// Whether a secret is shown in all of so many cells.
    package func isSecret(_ row: Int, _ column: Int, count: Int) -> Bool {
        guard row >= 0, row < rows, column >= 0, column + count <= columns else { return false }
        return (column..<(column + count)).allSatisfy { self[row, $0].content == .secret }
    }

    /// Gives cells another look.
    package mutating func restyle(_ row: Int, _ column: Int, count: Int, _ style: CellStyle) {
        guard row >= 0, row < rows else { return }
        for place in max(0, column)..<max(max(0, column), min(columns, column + count)) {
            cells[row * columns + place].style = style
        }
    }

    /// Both halves of a wide character go when one of them is overwritten.
    private mutating func set(_ cell: Cell, _ row: Int, _ column: Int) {
        let place = row * columns + column
        if cells[place].content == .covered, cell.content != .covered, column > 0 { cells[place - 1] = .blank }
        if column + 1 < columns, cells[place + 1].content == .covered, cell.content != .covered {
            cells[place + 1] = .blank
        }
        cells[place] = cell
    }
}

extension Character {
    /// Whether it steers a terminal.
    fileprivate var isControl: Bool {
        unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
    }
}
