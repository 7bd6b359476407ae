package import LinuxSystem

/// A terminal that shows grids. It knows what it shows now, and writes only what changes.
///
/// A secret is shown in cells that are marked for it. Its bytes go from locked memory to the terminal; this object
/// keeps neither them nor a copy of them.
package final class TerminalScreen {
    package let terminal: RawTerminal
    private let hasSecondScreen, hasMouse: Bool
    private var shown: Grid?
    private var shownCursor: (row: Int, column: Int)?
    /// The rows in which a secret was written and that were not drawn as a whole since.
    private var secretRows = 0..<0
    private var parser = InputParser()
    private(set) package var isTaken = false
    /// A terminal that was stopped is waited for so long.
    private static let patience = 5000
    /// Nothing that follows an Escape comes later than that.
    private static let escapeDelay = 25
    /// A terminal that answers does so at once, over a slow line too.
    private static let answerTime = 200

    /// - Parameters:
    ///   - hasSecondScreen: whether what stood on the terminal before comes back at the end.
    ///   - hasMouse: whether reports of the mouse are wanted.
    package init(_ terminal: RawTerminal, hasSecondScreen: Bool, hasMouse: Bool) {
        (self.terminal, self.hasSecondScreen, self.hasMouse) = (terminal, hasSecondScreen, hasMouse)
    }

    /// Takes the terminal.
    ///
    /// - Throws: `SystemError` of `tcsetattr` or `write`.
    package func enter() throws(SystemError) {
        try terminal.take()
        isTaken = true
        shown = nil
        parser = InputParser()
        try write(Control.enter(hasSecondScreen: hasSecondScreen, hasMouse: hasMouse))
    }

    /// Gives the terminal back, with every line erased before the first screen returns. It does nothing when it is
    /// given back already.
    package func leave() {
        guard isTaken else { return }
        isTaken = false
        let rows = max(shown?.rows ?? 0, terminal.size?.rows ?? 0)
        shown = nil
        // A terminal that is gone shows nothing any more.
        try? write(Control.leave(rows: rows, hasSecondScreen: hasSecondScreen))
        terminal.giveBack()
    }

    /// Draws the next grid as a whole: nobody knows what the terminal shows now.
    package func forget() { shown = nil }

    /// Shows a grid. Rows that had a secret are drawn as a whole when it has none any more, whatever stands in them.
    ///
    /// - Parameter cursor: where the cursor stands, counted from 0; nil for none.
    /// - Throws: `SystemError` of `write`.
    package func show(_ grid: Grid, cursor: (row: Int, column: Int)?) throws(SystemError) {
        let renewed = secretRows.contains { $0 < grid.rows && grid.hasSecret(in: $0) } ? 0..<0 : secretRows
        let isSameCursor = shownCursor?.row == cursor?.row && shownCursor?.column == cursor?.column
        if renewed.isEmpty, isSameCursor, shown == grid { return }
        let known = shown
        // An update that fails half way leaves something that nobody knows.
        shown = nil
        try write(ScreenUpdate.text(from: known, to: grid, renewed: renewed, cursor: cursor))
        (shown, shownCursor) = (grid, cursor)
        if !renewed.isEmpty { secretRows = 0..<0 }
    }

    /// Writes a secret over the cells that are marked for it.
    ///
    /// - Parameters:
    ///   - lines: the bytes of each row; they are characters that a terminal shows.
    ///   - row: of the first line.
    /// - Throws: `SystemError` of `write`.
    package func write(secret lines: [SecretBytes], _ row: Int, _ column: Int) throws(SystemError) {
        let rows = row..<(row + lines.count)
        secretRows =
            secretRows.isEmpty ? rows : min(row, secretRows.lowerBound)..<max(rows.upperBound, secretRows.upperBound)
        let bytes = SecretBuffer(capacity: 256)
        for (index, line) in lines.enumerated() {
            bytes.append(text: Control.move(row + index, column))
            line.withSpan { bytes.append($0) }
        }
        try bytes.withSpan { (span) throws(SystemError) in
            try terminal.device.writeFully(span, deadline: .after(milliseconds: Self.patience))
        }
    }

    private func write(_ text: String) throws(SystemError) {
        try terminal.device.writeFully(Array(text.utf8).span, deadline: .after(milliseconds: Self.patience))
    }
}

/// Input.
extension TerminalScreen {
    /// How many columns the terminal gives a text, measured in its first row; nil for one that does not say in time.
    package func columns(of text: String) -> Int? {
        do throws(SystemError) {
            try write(Control.move(0, 0) + text + Control.askCursor)
            let deadline = Deadline.after(milliseconds: Self.answerTime)
            while true {
                _ = try FileDescriptor.waitForAny(of: [terminal.device], deadline: deadline)
                for case .cursor(_, let column) in events(isLate: false) ?? [] { return column }
            }
        } catch { return nil }
    }

    /// When an Escape that nothing follows is a key.
    package var escapeDeadline: Deadline {
        parser.awaitsEscape ? .after(milliseconds: Self.escapeDelay) : .never
    }

    /// Whether an Escape came that may be a key by itself.
    package var awaitsEscape: Bool { parser.awaitsEscape }

    /// Whether the last input gave no event, or ended inside of a sequence, a string or a paste.
    package var hasUnclearInput: Bool { parser.isUnclear }

    /// Forgets what was typed and not taken.
    package func discardInput() {
        terminal.discardInput()
        parser = InputParser()
    }

    /// The events in the input that is there now; nil when the terminal is gone.
    ///
    /// - Parameter isLate: whether the time of ``escapeDeadline`` has passed.
    package func events(isLate: Bool) -> [InputEvent]? {
        let bytes = SecretBytes(count: 1024)
        let count: Int?
        do throws(SystemError) {
            count = try bytes.withMutableSpan { (span) throws(SystemError) in try terminal.device.read(into: &span) }
        } catch { return nil }
        guard let count else {
            parser.clear()
            return isLate ? [parser.finishEscape()].compactMap { $0 } : []
        }
        guard count > 0 else { return nil }
        let time = Double(Clock.monotonicNanoseconds) / 1e9
        return bytes.withSpan { parser.take($0.extracting(0..<count), at: time) }
    }
}

extension SecretBuffer {
    fileprivate func append(text: String) {
        for byte in text.utf8 { append(byte) }
    }
}
