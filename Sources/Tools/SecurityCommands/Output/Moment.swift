import Glibc

/// A moment that a person wrote down: ISO 8601 in UTC, as ``CalendarDate`` shows it. Milliseconds, seconds or the whole
/// time may be left out.
struct Moment {
    let secondsSinceReferenceDate: Double

    /// 2001-01-01, in seconds since 1970.
    private static let referenceDate = 978_307_200

    /// Nil for a text that is no such moment.
    init?(_ text: String) {
        let whole = text.hasSuffix("Z") ? text.dropLast() : text[...]
        let halves = whole.split(separator: "T", maxSplits: 1, omittingEmptySubsequences: false)
        guard let date = Self.numbers(halves[0], "-", [4, 2, 2]), date.count == 3 else { return nil }
        var (time, milliseconds) = ([Int](), 0)
        if halves.count > 1 {
            let parts = halves[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
            guard text.hasSuffix("Z"), let found = Self.numbers(parts[0], ":", [2, 2, 2]), found.count > 1 else {
                return nil
            }
            time = found
            if parts.count > 1 {
                guard found.count == 3, let fraction = Self.numbers(parts[1], ".", [3]) else { return nil }
                milliseconds = fraction[0]
            }
        }
        guard let seconds = Self.seconds(date, time + [0, 0, 0]) else { return nil }
        secondsSinceReferenceDate = Double(seconds - Self.referenceDate) + Double(milliseconds) / 1000
    }

    /// A moment as macOS's `verify-cert` takes it, `2027-06-01-12:00:00`, or in the form above.
    init?(ofMac text: String) {
        let day = "2027-06-01".utf8.count
        let isMacForm = text.utf8.count > day && text.utf8.dropFirst(day).first == UInt8(ascii: "-")
        self.init(isMacForm ? "\(text.prefix(day))T\(text.dropFirst(day + 1))Z" : text)
    }

    /// Numbers of so many digits each.
    private static func numbers(_ text: Substring, _ separator: Character, _ digits: [Int]) -> [Int]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard !parts.isEmpty, parts.count <= digits.count,
            zip(parts, digits).allSatisfy({ $0.utf8.count == $1 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        return parts.compactMap { Int($0) }
    }

    /// Seconds since 1970; nil for a day or a time that no calendar has.
    private static func seconds(_ date: [Int], _ time: [Int]) -> Int? {
        guard (1...9999).contains(date[0]), (1...12).contains(date[1]), (1...31).contains(date[2]),
            (0...23).contains(time[0]), (0...59).contains(time[1]), (0...59).contains(time[2])
        else { return nil }
        var parts = unsafe tm()
        unsafe (parts.tm_year, parts.tm_mon, parts.tm_mday) = (
            Int32(date[0] - 1900), Int32(date[1] - 1), Int32(date[2])
        )
        unsafe (parts.tm_hour, parts.tm_min, parts.tm_sec) = (Int32(time[0]), Int32(time[1]), Int32(time[2]))
        let seconds = unsafe timegm(&parts)
        // The thirtieth of February has become another day.
        return unsafe parts.tm_mday == Int32(date[2]) ? seconds : nil
    }
}
