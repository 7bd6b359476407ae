import LinuxSystem

extension DERElement {
    /// A point in time as X.509 writes it (RFC 5280 section 4.1.2.5): `YYMMDDhhmmssZ` for 1950 to 2049, or with four
    /// digits of the year as generalised time.
    ///
    /// - Returns: seconds since 2001-01-01 00:00 UTC.
    /// - Throws: `DERError.unexpected` for another type, another form, or a day that does not exist.
    package func time(in bytes: Span<UInt8>) throws(DERError) -> Double {
        guard tag == .utcTime || tag == .generalizedTime else { throw unexpected }
        let text = try contentBytes(in: bytes)
        let yearDigits = tag == .utcTime ? 2 : 4
        guard text.count == yearDigits + 11, text.last == UInt8(ascii: "Z"),
            let digits = CalendarDigits(text.dropLast(), yearDigits: yearDigits), let seconds = digits.seconds
        else { throw unexpected }
        return Double(seconds)
    }
}

/// Year, month, day, hour, minute and second. Each has two digits, except the year.
private struct CalendarDigits {
    private let year, month, day, hour, minute, second: Int

    init?(_ text: ArraySlice<UInt8>, yearDigits: Int) {
        guard text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let year = Self.number(text.prefix(yearDigits))
        let rest = text.dropFirst(yearDigits)
        let parts = (0..<5).map { Self.number(rest.dropFirst($0 * 2).prefix(2)) }
        self.year = yearDigits == 4 ? year : year < 50 ? 2000 + year : 1900 + year
        (month, day, hour, minute, second) = (parts[0], parts[1], parts[2], parts[3], parts[4])
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int { digits.reduce(0) { $0 * 10 + Int($1 & 15) } }

    /// Seconds since 2001-01-01; nil for a date or time that does not exist. X.509 has no leap seconds.
    var seconds: Int? {
        guard year > 0, (1...12).contains(month), (1...daysInMonth).contains(day), hour < 24, minute < 60, second < 60
        else {
            return nil
        }
        return ((daysSince2001 * 24 + hour) * 60 + minute) * 60 + second
    }

    private var isLeapYear: Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private var daysInMonth: Int {
        [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private var daysSince2001: Int {
        // A year that begins in March ends with the leap day, so that every month has a fixed place in it.
        let (shiftedYear, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days = shiftedYear * 365 + shiftedYear / 4 - shiftedYear / 100 + shiftedYear / 400
        return days + (153 * shiftedMonth + 2) / 5 + day - 1 - Self.daysTo2001
    }

    /// The same count for 2001-01-01.
    private static let daysTo2001 = 730_791
}
