import Glibc

/// A moment of an item's life as people read it: in their own time zone, today by its time.
struct ItemDate {
    /// Seconds since 2001-01-01 00:00 UTC.
    let seconds: Double

    /// 2001-01-01, in seconds since 1970.
    fileprivate static let referenceDate = 978_307_200.0

    /// `today 18:57`, or the day.
    func short(now: Double) -> String {
        let moment = Local(seconds)
        return moment.day == Local(now).day ? "today \(moment.time.prefix(5))" : moment.day
    }

    /// The same with seconds: `today 18:57:03` or `2025-12-01 08:00:14`.
    func long(now: Double) -> String {
        let moment = Local(seconds)
        return "\(moment.day == Local(now).day ? "today" : moment.day) \(moment.time)"
    }

    /// ISO 8601 in UTC, for programs.
    var iso8601: String { CalendarDate(secondsSinceReferenceDate: seconds).iso8601 }

    /// A moment in the time zone of this process. Moments outside of all calendars are moved to their ends.
    private struct Local {
        let day: String
        let time: String

        init(_ seconds: Double) {
            let bounded = seconds.isNaN ? 0 : min(max(seconds, -6e10), 2.5e11)
            var moment = time_t((bounded + ItemDate.referenceDate).rounded(.down))
            var parts = unsafe tm()
            unsafe localtime_r(&moment, &parts)
            let date = unsafe [parts.tm_mon + 1, parts.tm_mday].map(Self.digits)
            let year = unsafe String(Int(parts.tm_year) + 1900)
            day = ([String(repeating: "0", count: max(0, 4 - year.count)) + year] + date).joined(separator: "-")
            time = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec].map(Self.digits).joined(separator: ":")
        }

        private static func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }
}
