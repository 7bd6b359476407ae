import KeychainWire
import LinuxSystem

/// The lines of `status` about the keychain's last backup, and about the shelves that it may lack.
enum BackupLines {
    private static let oldAge: Int64 = 30 * 86_400
    private static let old = "It is older than 30 days: `security backup FILE` makes another."
    private static let unchecked = "It was never opened: `security drill FILE` checks it."

    /// The dates; nil from a daemon that does not know them.
    static func dates(_ session: Session) -> BackupDates? {
        guard case .dates(let dates)? = try? session.backup(.dates, "status") else { return nil }
        return dates
    }

    /// - Parameter now: seconds since 1970.
    static func lines(of dates: BackupDates?, now: Int64) -> [(String, String)] {
        guard let dates else { return [] }
        return ofBackup(dates, now) + ofShelves(dates)
    }

    private static func ofBackup(_ dates: BackupDates, _ now: Int64) -> [(String, String)] {
        guard dates.made != 0 else { return [("backup:", "none was made; `security backup FILE` makes one")] }
        let made = "made \(text(dates.made))"
        guard dates.checked != 0 else { return [("backup:", made), ("", unchecked)] + warning(dates, now) }
        return [("backup:", "\(made), opened \(text(dates.checked))")] + warning(dates, now)
    }

    /// Without its shelf a file does not open, wherever it is copied to.
    private static func ofShelves(_ dates: BackupDates) -> [(String, String)] {
        guard dates.shelves > 0 else { return [] }
        let count = ("shelves:", "\(dates.shelves) of protected files")
        guard dates.made != 0, dates.laterShelves > 0 else { return [count] }
        return [count, ("", "The last backup is older than \(dates.laterShelves) of them, whose files need another.")]
    }

    private static func warning(_ dates: BackupDates, _ now: Int64) -> [(String, String)] {
        dates.made < now - oldAge ? [("", old)] : []
    }

    static func json(of dates: BackupDates?) -> JSONValue {
        guard let dates else { return .null }
        func moment(_ seconds: Int64) -> JSONValue { seconds == 0 ? .null : .string(text(seconds)) }
        return .object([("made", moment(dates.made)), ("opened", moment(dates.checked))])
    }

    static func shelves(of dates: BackupDates?) -> JSONValue {
        guard let dates else { return .null }
        func number(_ count: UInt64) -> JSONValue { .number(Int64(clamping: count)) }
        return .object([("count", number(dates.shelves)), ("afterBackup", number(dates.laterShelves))])
    }

    private static func text(_ seconds: Int64) -> String {
        CalendarDate(secondsSinceReferenceDate: Double(seconds) - 978_307_200).iso8601
    }
}
