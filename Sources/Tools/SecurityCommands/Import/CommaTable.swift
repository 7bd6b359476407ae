import LinuxSystem

/// Reads a table of fields that commas separate, a row a line, as programs that keep passwords export it (RFC 4180).
///
/// A field in quotation marks may hold commas, line ends, and quotation marks that are written twice.
struct CommaTable {
    private let field = SecretBuffer(capacity: 256)
    private var row: [SecretBytes] = []
    private var state = State.start
    private var mayEndWithFeed = false
    /// The line that is read, from 1.
    private var line = 1
    /// The line on which the row began.
    private var rowLine = 1

    private enum State { case start, plain, quoted, closed }

    /// Reads all rows, each as soon as it is whole; empty lines are left out.
    ///
    /// - Parameter body: takes a row and the line that it begins on.
    /// - Throws: a failure that names the line where the text is no such table; what `body` throws.
    static func forEachRow(
        of content: Span<UInt8>, _ body: (_ row: [SecretBytes], _ line: Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        var table = CommaTable()
        for index in (content.hasMark ? 3 : 0)..<content.count where try table.take(content[index]) {
            try table.give(body)
        }
        guard table.state != .quoted else { throw .notATable(line: table.rowLine) }
        table.endField()
        try table.give(body)
    }

    /// Takes a byte; whether a row ends with it.
    private mutating func take(_ byte: UInt8) throws(CommandFailure) -> Bool {
        if byte == .lineFeed { line += 1 }
        defer { mayEndWithFeed = byte == .carriageReturn && state != .quoted }
        if byte == .lineFeed, mayEndWithFeed { return false }
        switch (state, byte) {
        case (.quoted, .quotationMark): state = .closed
        case (.quoted, _): field.append(byte)
        case (.start, .quotationMark): state = .quoted
        case (.closed, .quotationMark):
            field.append(byte)
            state = .quoted
        case (_, .comma): endField()
        case (_, .lineFeed), (_, .carriageReturn):
            endField()
            return true
        case (.closed, _): throw .notATable(line: line)
        default:
            field.append(byte)
            state = .plain
        }
        return false
    }

    private mutating func endField() {
        row.append(field.copy())
        field.removeAll()
        state = .start
    }

    private mutating func give(
        _ body: (_ row: [SecretBytes], _ line: Int) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let (given, begin) = (row, rowLine)
        (row, rowLine) = ([], line)
        let isEmptyLine = given.count == 1 && given[0].count == 0
        if !isEmptyLine { try body(given, begin) }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
    fileprivate static let quotationMark = UInt8(ascii: "\"")
    fileprivate static let comma = UInt8(ascii: ",")
}

extension Span<UInt8> {
    /// Whether the text begins with a byte order mark.
    fileprivate var hasMark: Bool { count >= 3 && self[0] == 0xEF && self[1] == 0xBB && self[2] == 0xBF }
}

extension CommandFailure {
    fileprivate static func notATable(line: Int) -> CommandFailure {
        .failed(
            "import-from: the file is no table of fields with commas between them",
            cause: "Quotation marks do not match from line \(line) on; nothing was imported.",
            remedy: "Export the logins again, as CSV.")
    }
}
