import TerminalScreen
import TerminalText

/// The drawing of the viewer: cells, the cursor, the place of a value, and the meaning of clicks.
struct Picture {
    /// The effect of a click on some cells.
    struct Target {
        enum Act: Equatable {
            case item(Int)
            case sidebar(Int)
            case sort(ItemOrder)
            case press(InputEvent.Key)
            case divider
        }

        let row: Int
        let columns: Range<Int>
        let act: Act
    }

    var grid: Grid
    var cursor: (row: Int, column: Int)?
    /// The last line with which a text that is longer than its place can begin.
    var lastScroll = 0
    /// Where the cells for the value begin.
    var secret: (row: Int, column: Int)?
    private(set) var targets: [Target] = []

    init(_ size: ScreenSize, _ width: TextWidth) {
        grid = Grid(rows: size.rows, columns: size.columns, width: width)
    }

    mutating func addTarget(_ act: Target.Act, _ row: Int, _ columns: Range<Int>) {
        targets.append(Target(row: row, columns: columns, act: act))
    }

    /// Whether all cells of a value are there: something may lie on it, or its screen may be too low.
    func hasRoom(forSecret columns: [Int]) -> Bool {
        guard let secret else { return false }
        return columns.enumerated().allSatisfy { grid.isSecret(secret.row + $0, secret.column, count: $1) }
    }

    /// The effect of a click; the last target that was drawn lies above.
    func target(_ row: Int, _ column: Int) -> Target.Act? {
        targets.last { $0.row == row && $0.columns.contains(column) }?.act
    }
}

/// A part of the screen.
struct Area {
    let row, column, rows, columns: Int

    var end: Int { row + rows }
}

/// The lines between the parts. A terminal that may draw them wrongly gets ASCII.
struct FrameCharacters: Equatable {
    let horizontal, vertical, crossing, dot, up, down: Character
    /// Whether names may have characters beyond ASCII.
    let isASCII: Bool

    static let lines = FrameCharacters(
        horizontal: "─", vertical: "│", crossing: "┬", dot: "•", up: "▲", down: "▼", isASCII: false)
    static let ascii = FrameCharacters(
        horizontal: "-", vertical: "|", crossing: "+", dot: "*", up: "^", down: "v", isASCII: true)
}
