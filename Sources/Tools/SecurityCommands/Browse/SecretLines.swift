import LinuxSystem

/// A value in the rows in which it is shown. Its bytes stay in locked memory.
struct SecretLines {
    let value: SecretBytes
    let lines: [SecretBytes]
    /// The most columns that each row takes on any terminal.
    let columns: [Int]

    /// More rows are not read at a glance.
    private static let mostRows = 4
    /// Names of characters take more room.
    private static let mostSpelledRows = 8

    /// - Parameter room: the columns of a row.
    /// - Returns: nil for a value of several lines, and for one that is too long.
    init?(_ value: SecretBytes, room: Int) {
        var (rows, hasLines) = (Rows(room: room, most: Self.mostRows), false)
        (value.isShown ? value : Self.hexadecimal(value)).withSpan { bytes in
            bytes.visitCharacters { scalar, bytes in
                hasLines = hasLines || scalar.value < 0x20
                // No table of widths is asked: every other character is given the room of a wide one.
                rows.makeRoom(for: scalar.isASCII ? 1 : 2)
                rows.line.append(bytes)
                return !rows.isFull && !hasLines
            }
        }
        guard !hasLines else { return nil }
        self.init(value, &rows)
    }

    /// The value by the names of its characters, one behind the other.
    ///
    /// - Returns: nil for a value that is no text, and for one that is too long.
    init?(spelling value: SecretBytes, room: Int) {
        guard value.isShown else { return nil }
        var rows = Rows(room: room, most: Self.mostSpelledRows)
        value.withSpan { bytes in
            bytes.visitCharacters { scalar, bytes in
                let name = CharacterNames.name(of: scalar)
                rows.makeRoom(for: (name?.utf8.count ?? 2) + 1)
                if let name { rows.line.append(utf8: name) } else { rows.line.append(bytes) }
                rows.line.append(utf8: " ")
                return !rows.isFull
            }
        }
        self.init(value, &rows)
    }

    private init?(_ value: SecretBytes, _ rows: inout Rows) {
        rows.close()
        guard !rows.isFull else { return nil }
        (self.value, lines, columns) = (value, rows.lines, rows.columns)
    }

    private static func hexadecimal(_ value: SecretBytes) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 2 * value.count + 2)
        buffer.append(utf8: "0x")
        value.withSpan { buffer.append(hex: $0) }
        return buffer.finish()
    }

    /// Rows that are being filled.
    private struct Rows {
        let room, most: Int
        var line = SecretBuffer(capacity: 128)
        private(set) var lines: [SecretBytes] = []
        private(set) var columns: [Int] = []
        private var used = 0

        init(room: Int, most: Int) { (self.room, self.most) = (room, most) }

        var isFull: Bool { lines.count > most }

        /// Begins a new row where so many columns have no room in this one.
        mutating func makeRoom(for count: Int) {
            if used > 0, used + count > room { close() }
            used += count
        }

        mutating func close() {
            if used == 0, !lines.isEmpty { return }
            lines.append(line.finish())
            columns.append(min(used, room))
            (line, used) = (SecretBuffer(capacity: 128), 0)
        }
    }
}
