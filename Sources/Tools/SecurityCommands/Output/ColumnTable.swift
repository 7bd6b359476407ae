import LinuxSystem
import TerminalText

/// Rows in columns for a terminal of a known width, or with tabs for everything else.
struct ColumnTable {
    struct Column {
        let heading: String
        /// The narrowest that the column is made before another one goes; its own text if that is shorter.
        let least: Int
        /// Columns with higher numbers go first; 0 never does.
        let dropped: Int

        init(_ heading: String, least: Int = Int.max, dropped: Int = 0) {
            (self.heading, self.least, self.dropped) = (heading, least, dropped)
        }

        /// The same column with a heading in the user's language.
        func named(_ heading: String) -> Column { Column(heading, least: least, dropped: dropped) }
    }

    private let columns: [Column]
    private let width: TextWidth
    private let room: Int
    private static let gap = 2
    /// With less room an item takes two lines.
    private static let leastRoom = 40

    /// - Parameter room: the columns of the terminal.
    init(_ columns: [Column], width: TextWidth, room: Int) {
        (self.columns, self.width, self.room) = (columns, width, room)
    }

    /// The lines of a table, its heading first. The cells are safe to show.
    func lines(of rows: [[String]]) -> [String] {
        guard room >= Self.leastRoom else { return rows.flatMap(stacked) }
        let headings = columns.map(\.heading)
        let natural = columns.indices.map { index in
            rows.reduce(width.columns(headings[index])) { max($0, width.columns($1[index])) }
        }
        let kept = fitting(natural)
        let widths = shared(natural, kept)
        return ([headings] + rows).map { line($0, kept, widths) }
    }

    /// The columns that fit when each is as narrow as it may be.
    private func fitting(_ natural: [Int]) -> [Int] {
        var kept = Array(columns.indices)
        while total(kept.map { least($0, natural) }) > room,
            let next = kept.filter({ columns[$0].dropped > 0 }).max(by: { columns[$0].dropped < columns[$1].dropped })
        {
            kept.removeAll { $0 == next }
        }
        return kept
    }

    /// The width of each column: what is left over goes to the first columns that want more.
    private func shared(_ natural: [Int], _ kept: [Int]) -> [Int: Int] {
        var widths = Dictionary(uniqueKeysWithValues: kept.map { ($0, least($0, natural)) })
        var left = room - total(Array(widths.values))
        for index in kept {
            let more = max(0, min(left, natural[index] - (widths[index] ?? 0)))
            widths[index, default: 0] += more
            left -= more
        }
        return widths
    }

    private func least(_ index: Int, _ natural: [Int]) -> Int { min(natural[index], columns[index].least) }

    private func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + Self.gap * max(0, widths.count - 1) }

    private func line(_ cells: [String], _ kept: [Int], _ widths: [Int: Int]) -> String {
        var line = ""
        for index in kept.dropLast() {
            line += width.fit(cells[index], to: widths[index] ?? 0) + String(repeating: " ", count: Self.gap)
        }
        if let last = kept.last { line += width.cut(cells[last], to: widths[last] ?? 0) }
        return line.withoutTrailingBlanks
    }

    /// A row on a narrow terminal: the first cell, and the others below it.
    private func stacked(_ cells: [String]) -> [String] {
        let rest = cells.dropFirst().filter { !$0.isEmpty }.joined(separator: " ")
        return [width.cut(cells[0], to: room), width.cut("  " + rest, to: room)]
    }
}

extension String {
    fileprivate var withoutTrailingBlanks: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}

extension Output {
    /// The columns of the terminal: as it says, else as `COLUMNS` says, else 80.
    func columns(_ environment: (String) -> String?) -> Int {
        descriptor.terminalColumns ?? environment("COLUMNS").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } ?? 80
    }

    /// Writes a line whose text is safe to show already (``DisplayName``).
    func write(shown line: String) {
        write { buffer in
            buffer.append(utf8: line)
            buffer.append(utf8: "\n")
        }
    }
}
