import LinuxSystem

/// A value in the rows in which it is shown. Its bytes stay in locked memory.
struct SecretLines {
    let lines: [SecretBytes]
    /// The most columns that each row takes on any terminal.
    let columns: [Int]

    /// More rows are not read at a glance.
    static let mostRows = 4

    /// - Parameter room: the columns of a row.
    /// - Returns: nil for a value of several lines, and for one that is too long.
    init?(_ value: SecretBytes, room: Int) {
        let shown = value.isShown ? value : Self.hexadecimal(value)
        var (lines, columns) = ([SecretBytes](), [Int]())
        var (line, used) = (SecretBuffer(capacity: 128), 0)
        let close = {
            lines.append(line.finish())
            columns.append(used)
            (line, used) = (SecretBuffer(capacity: 128), 0)
        }
        var hasLines = false
        shown.withSpan { bytes in
            bytes.visitCharacters { scalar, bytes in
                hasLines = hasLines || scalar.value < 0x20
                // No table of widths is asked: every other character is given the room of a wide one.
                let count = scalar.isASCII ? 1 : 2
                if used + count > room { close() }
                line.append(bytes)
                used += count
                return lines.count <= Self.mostRows && !hasLines
            }
        }
        if used > 0 || lines.isEmpty { close() }
        guard lines.count <= Self.mostRows, !hasLines else { return nil }
        (self.lines, self.columns) = (lines, columns)
    }

    private static func hexadecimal(_ value: SecretBytes) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 2 * value.count + 2)
        buffer.append(utf8: "0x")
        value.withSpan { buffer.append(hex: $0) }
        return buffer.finish()
    }
}
