import LinuxSystem
import TerminalText

/// A value in the rows in which it is shown. Its bytes stay in locked memory.
struct SecretLines {
    let value: SecretBytes
    let lines: [SecretBytes]
    /// The most columns that each row takes on any terminal.
    let columns: [Int]

    /// The place of a value: its rows, the columns of each, and whether it has ASCII alone.
    struct Room {
        let rows, columns: Int
        var isASCII = false
    }

    /// More rows are not read at a glance.
    private static let mostRows = 4
    /// Names of characters take more room.
    private static let mostSpelledRows = 8

    /// - Returns: nil for a value of several lines, and for one that is too long.
    init?(_ value: SecretBytes, room: Room) {
        let isText = value.isShown && (!room.isASCII || value.isASCII)
        let most = min(Self.mostRows, room.rows)
        var rows = Rows(of: isText ? value : Self.hexadecimal(value), room: room.columns, most: most)
        if rows.hasLines { return nil }
        if rows.beginsWithMark { rows = Rows(of: Self.hexadecimal(value), room: room.columns, most: most) }
        self.init(value, &rows)
    }

    /// The value by the names of its characters, one behind the other.
    ///
    /// - Returns: nil for a value that is no text, and for one that is too long.
    init?(spelling value: SecretBytes, room: Room) {
        guard value.isShown else { return nil }
        var rows = Rows(room: room.columns, most: min(Self.mostSpelledRows, room.rows))
        value.withSpan { bytes in
            bytes.visitCharacters { scalar, bytes in
                let name = CharacterNames.name(of: scalar, inASCII: room.isASCII)
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
        private(set) var hasLines = false
        /// Whether a row begins with a mark, which would be drawn onto the cell before.
        private(set) var beginsWithMark = false
        private var used = 0

        init(room: Int, most: Int) { (self.room, self.most) = (room, most) }

        init(of text: SecretBytes, room: Int, most: Int) {
            self.init(room: room, most: most)
            text.withSpan { bytes in
                bytes.visitCharacters { scalar, bytes in
                    append(scalar, bytes)
                    return !isFull && !hasLines && !beginsWithMark
                }
            }
        }

        private mutating func append(_ scalar: Unicode.Scalar, _ bytes: Span<UInt8>) {
            hasLines = scalar.value < 0x20
            // No table of widths is asked: every other character is given the room of a wide one.
            makeRoom(for: scalar.isASCII ? 1 : 2)
            beginsWithMark = line.count == 0 && scalar.joinsCellBefore
            line.append(bytes)
        }

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

extension Unicode.Scalar {
    /// Whether a terminal draws it onto the cell before: a mark, or the vowel or last letter of a Hangul syllable.
    var joinsCellBefore: Bool { properties.isGraphemeExtend || TextWidth().columns(Character(self)) == 0 }
}

extension SecretBytes {
    fileprivate var isASCII: Bool {
        withSpan { bytes in bytes.indices.allSatisfy { bytes[$0] < 0x80 } }
    }
}
