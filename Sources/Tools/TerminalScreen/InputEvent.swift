/// Something that a terminal has sent.
package enum InputEvent: Equatable, Sendable {
    case key(Key)
    case mouse(Mouse)
    /// A pasted text, without control characters.
    case paste(String)
    /// A paste of more than ``InputParser/mostPasted`` bytes; nothing of it is kept.
    case pasteTooLong
    /// Whether the window has the focus now.
    case focus(Bool)
    /// Where the cursor stands, counted from 0.
    case cursor(row: Int, column: Int)

    package enum Key: Hashable, Sendable {
        case character(Character)
        /// A letter together with Control.
        case control(Character)
        case enter, escape, tab, backTab, backspace, delete
        case up, down, left, right, pageUp, pageDown, home, end
    }

    /// A report of the mouse; row and column are counted from 0.
    package struct Mouse: Equatable, Sendable {
        package enum Action: Sendable { case press, release, drag, wheelUp, wheelDown }
        package let action: Action
        package let row, column: Int

        package init(_ action: Action, row: Int, column: Int) {
            (self.action, self.row, self.column) = (action, row, column)
        }
    }
}
