import KeychainWire
import LinuxSystem

/// The lines of `status` about the keychain's last backup.
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
        guard dates.made != 0 else { return [("backup:", "none was made; `security backup FILE` makes one")] }
        let made = "made \(text(dates.made))"
        guard dates.checked != 0 else { return [("backup:", made), ("", unchecked)] + warning(dates, now) }
        return [("backup:", "\(made), opened \(text(dates.checked))")] + warning(dates, now)
    }

    private static func warning(_ dates: BackupDates, _ now: Int64) -> [(String, String)] {
        dates.made < now - oldAge ? [("", old)] : []
    }

    static func json(of dates: BackupDates?) -> JSONValue {
        guard let dates else { return .null }
        func moment(_ seconds: Int64) -> JSONValue { seconds == 0 ? .null : .string(text(seconds)) }
        return .object([("made", moment(dates.made)), ("opened", moment(dates.checked))])
    }

    private static func text(_ seconds: Int64) -> String {
        CalendarDate(secondsSinceReferenceDate: Double(seconds) - 978_307_200).iso8601
    }
}
