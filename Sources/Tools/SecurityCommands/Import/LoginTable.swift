import CommandOptions
import LinuxSystem

/// `import-from csv`: the logins of a table that a browser or another program for passwords has exported.
struct LoginTable {
    private var columns: LoginColumns?
    private var items: [ImportedItem] = []
    private var report = LoginReport()

    /// Reads the whole file.
    ///
    /// - Throws: a failure for a file that cannot be read, and for a row that cannot, with its line.
    static func logins(
        of path: Argument, _ session: Session
    ) throws(CommandFailure) -> (items: [ImportedItem], report: LoginReport) {
        var table = LoginTable()
        try ExportedFile.content(path, session).withSpan { (bytes) throws(CommandFailure) in
            try CommaTable.forEachRow(of: bytes) { row, line throws(CommandFailure) in try table.take(row, line) }
        }
        guard table.columns != nil else { throw ExportedFile.unreadable(path, "The file is empty.") }
        return (table.items, table.report)
    }

    private mutating func take(_ row: [SecretBytes], _ line: Int) throws(CommandFailure) {
        guard let columns else { return columns = try LoginColumns(row) }
        let login = try columns.login(row, line: line)
        guard login.isWhole else { return report.empty += 1 }
        for column in columns.lost(row) { report.lost[column, default: 0] += 1 }
        items.append(login.item)
    }
}
