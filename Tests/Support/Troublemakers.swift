/// Texts that do harm where they are shown as they are, and how to see that none did. Harmful characters are listed
/// here by ranges, so that the list does not depend on the code under test.
public enum Troublemakers {
    /// Texts with a character of each kind that must not be shown, and what is made of many.
    public static let texts: [String] =
        [singles.joined()] + [
            "\u{1B}[2J\u{1B}[H", "\u{1B}]0;title\u{07}", "\u{9B}31m", "a\r\nb", "\n\nsecurity: forged",
            "\u{202E}gpj.exe",
            "\u{2066}a\u{2069}\u{2067}", "\u{FEFF}\u{200B}\u{200D}", flood, "a" + flood, "\u{338}overlay",
            String(repeating: "\u{200B}", count: 10_000), String(repeating: "x", count: 100_000), "say \"yes\" “yes”",
            "\u{0}", "", "e\u{301}\u{FE0F}\u{E0100}", repaired([0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]),
            repaired([0xFF, 0xC0, 0x80, 0xF5]),
            repaired([0xF4, 0x90, 0x80, 0x80]), "\u{1F468}\u{200D}\u{1F469}", "\u{2800}\u{2800}", "\u{FFFE}\u{1FFFF}",
            "\u{E0001}\u{E007F}",
        ]

    private static let singles = harmful.flatMap { range in
        Set([range.lowerBound, range.lowerBound + (range.upperBound - range.lowerBound) / 2, range.upperBound])
            .compactMap(Unicode.Scalar.init).map { "a\(Character($0))b" }
    }

    private static let flood = String(repeating: "\u{301}", count: 5_000)

    /// The text that bytes become which are not UTF-8, such as halves of surrogates.
    private static func repaired(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// Code points that no line for people has: controls, ends of lines, what is invisible, what turns the direction.
    private static let harmful: [ClosedRange<UInt32>] = [
        0x00...0x1F, 0x7F...0x9F, 0xAD...0xAD, 0x34F...0x34F, 0x61C...0x61C, 0x115F...0x1160, 0x17B4...0x17B5,
        0x180B...0x180F,
        0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0x2800...0x2800, 0x3164...0x3164, 0xE000...0xF8FF,
        0xFDD0...0xFDEF,
        0xFE00...0xFE0F, 0xFEFF...0xFEFF, 0xFFA0...0xFFA0, 0xFFF0...0xFFFB, 0xFFFE...0xFFFF, 0x1BCA0...0x1BCA3,
        0x1D173...0x1D17A,
        0xE0000...0xE0FFF, 0xF0000...0x10FFFF,
    ]

    /// The harm in an output; nil when there is none.
    ///
    /// - Parameters:
    ///   - lines: whether it may have several lines, with tabs in them.
    ///   - quotes: how many quotation marks it may have; nil for any number.
    public static func harm(in output: [UInt8], lines: Bool = false, mostMarks: Int = 5) -> String? {
        guard let text = String(validating: output, as: UTF8.self) else { return "not UTF-8" }
        var marks = 0
        for scalar in text.unicodeScalars {
            if lines, scalar == "\n" || scalar == "\t" { continue }
            if harmful.contains(where: { $0.contains(scalar.value) }) { return "U+" + String(scalar.value, radix: 16) }
            marks = (0x300...0x36F).contains(scalar.value) ? marks + 1 : 0
            if marks > mostMarks { return "a heap of marks" }
        }
        return nil
    }
}
