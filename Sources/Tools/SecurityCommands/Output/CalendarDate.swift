/// A moment as a calendar shows it, in UTC.
package struct CalendarDate {
    private let year, month, day, hour, minute, second, millisecond: Int

    /// - Parameter secondsSinceReferenceDate: seconds since 2001-01-01; what lies outside the years 1 to 9999 is moved
    ///   to their ends, because the number may be anything.
    package init(secondsSinceReferenceDate seconds: Double) {
        let bounded = seconds.isNaN ? 0 : min(max(seconds, Self.earliest), Self.latest)
        // The keychain keeps microseconds. A Double of a whole millisecond may lie a little below it.
        let milliseconds = Self.divide(Int((bounded * 1_000_000).rounded()), by: 1000).quotient
        let (days, rest) = Self.divide(milliseconds, by: 86_400_000)
        (year, month, day) = Self.civil(days: days)
        (hour, minute, second, millisecond) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000)
    }

    /// `YYYYMMDDhhmmssZ`.
    var compact: String {
        Self.digits(year, 4) + [month, day, hour, minute, second].map { Self.digits($0, 2) }.joined() + "Z"
    }

    /// ISO 8601 with milliseconds.
    package var iso8601: String {
        let date = [Self.digits(year, 4), Self.digits(month, 2), Self.digits(day, 2)].joined(separator: "-")
        let time = [hour, minute, second].map { Self.digits($0, 2) }.joined(separator: ":")
        return "\(date)T\(time).\(Self.digits(millisecond, 3))Z"
    }

    private static let earliest = -63_113_904_000.0
    private static let latest = 252_423_993_599.0

    private static func divide(_ number: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
        let remainder = (number % divisor + divisor) % divisor
        return ((number - remainder) / divisor, remainder)
    }

    /// The Gregorian date `days` after 2001-01-01. Years are counted from March, so that the leap day comes last.
    private static func civil(days: Int) -> (year: Int, month: Int, day: Int) {
        let sinceMarchOfYear0 = days + 730_791
        let (era, dayOfEra) = divide(sinceMarchOfYear0, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, day)
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
