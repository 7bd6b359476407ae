/// The control sequences that are ever written (ECMA-48, and xterm's private modes).
package enum Control {
    /// Control Sequence Introducer.
    private static let csi = "\u{1B}["

    static let eraseLine = csi + "2K"
    /// Has the terminal say where its cursor is.
    static let askCursor = csi + "6n"
    static let showCursor = csi + "?25h"
    static let hideCursor = csi + "?25l"
    /// The terminal shows everything between these at once, where it knows them.
    static let beginUpdate = csi + "?2026h"
    static let endUpdate = csi + "?2026l"
    private static let plain = csi + "m"

    /// Places the cursor; both are counted from 0.
    package static func move(_ row: Int, _ column: Int) -> String { "\(csi)\(row + 1);\(column + 1)H" }

    static func rendition(_ style: CellStyle) -> String {
        var numbers = ["0"]
        if style.contains(.bold) { numbers.append("1") }
        if style.contains(.underlined) { numbers.append("4") }
        if style.contains(.reversed) { numbers.append("7") }
        return "\(csi)\(numbers.joined(separator: ";"))m"
    }

    /// Reports of clicks and drags, in the form with decimal numbers (SGR).
    private static let mouse = ["?1000", "?1002", "?1006"]
    /// Pastes between marks, and reports of the focus.
    private static let reports = ["?2004", "?1004"]

    /// Takes the terminal: its second screen where it has one, no wrapping, reports of mouse, pastes and focus.
    package static func enter(hasSecondScreen: Bool, hasMouse: Bool) -> String {
        (hasSecondScreen ? csi + "?1049h" : "") + csi + "?7l"
            + ((hasMouse ? mouse : []) + reports).map { "\(csi)\($0)h" }.joined()
    }

    /// Gives the terminal back. Every line is erased before the first screen returns.
    package static func leave(rows: Int, hasSecondScreen: Bool) -> String {
        erase(rows: rows) + (mouse + reports).map { "\(csi)\($0)l" }.joined() + csi + "?7h" + endUpdate + showCursor
            + (hasSecondScreen ? csi + "?1049l" : "")
    }

    /// Erases every line, and leaves the cursor in the first.
    package static func erase(rows: Int) -> String {
        plain + (0..<max(0, rows)).map { move($0, 0) + eraseLine }.joined() + move(0, 0)
    }
}
