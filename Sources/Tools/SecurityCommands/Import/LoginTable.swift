import CommandOptions
import Glibc
import LinuxSystem

/// `import-from csv`: the logins of a table that a browser or another program for passwords has exported.
struct LoginTable {
    private var columns: LoginColumns?
    private var logins: [ImportedLogin] = []
    private var report = LoginReport()

    /// So many bytes a file may have: some 50,000 logins.
    private static let limit = 8 << 20

    /// Reads the whole file.
    ///
    /// - Throws: a failure for a file that cannot be read, and for a row that cannot, with its line.
    static func logins(
        of path: Argument, _ session: Session
    ) throws(CommandFailure) -> (logins: [ImportedLogin], report: LoginReport) {
        var table = LoginTable()
        try content(path, session).withSpan { (bytes) throws(CommandFailure) in
            try CommaTable.forEachRow(of: bytes) { row, line throws(CommandFailure) in try table.take(row, line) }
        }
        guard table.columns != nil else { throw .unreadable(path, "The file is empty.") }
        return (table.logins, table.report)
    }

    private mutating func take(_ row: [SecretBytes], _ line: Int) throws(CommandFailure) {
        guard let columns else { return columns = try LoginColumns(row) }
        let login = try columns.login(row, line: line)
        guard login.isWhole else { return report.empty += 1 }
        for column in columns.lost(row) { report.lost[column, default: 0] += 1 }
        logins.append(login)
    }

    /// The file's bytes. A file that others may change is nobody's word for a password.
    private static func content(_ path: Argument, _ session: Session) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            let (content, _, status) = try AtomicFile.readSecretAndPath(path.text, limit: limit)
            guard status.owner == geteuid() || status.owner == 0, status.mode & S_IWOTH == 0 else {
                throw SystemError(code: EPERM, call: "open", advice: "Other users may change the file.")
            }
            if status.mode & (S_IRGRP | S_IROTH) != 0 { session.explain("other users may read \(path.text).") }
            session.explain("\(path.text) still holds every password in plain text: delete it.")
            return content
        } catch {
            throw .unreadable(path, error.advice.isEmpty ? unsafe String(cString: strerror(error.code)) : error.advice)
        }
    }
}

extension CommandFailure {
    fileprivate static func unreadable(_ path: Argument, _ cause: String) -> CommandFailure {
        .failed(
            "import-from: \(path.text) cannot be read", cause: cause,
            remedy: "Name a file of your own that holds logins as CSV.")
    }
}
