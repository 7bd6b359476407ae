import LinuxSystem
import TestSupport
import Testing

@Suite("Foreign text")
struct ForeignTextTests {
    @Test(
        "What is harmless is shown as it is",
        arguments: [
            "", "plain", "/usr/bin/a b", "a  b", "为什么", "naïve", "e\u{301}", "ภาษาไทยที่", "🔑", "\u{FFFD}", "a\"b“c”",
        ])
    func harmless(text: String) { #expect(ForeignText.shown(text) == text) }

    @Test(
        "What is not gets a visible mark in its place",
        arguments: [
            ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"), ("a\tb", "a\u{FFFD}b"),
            ("a\u{A0}b\u{3000}c", "a b c"),
            ("ab\u{202E}cd", "ab\u{FFFD}cd"), ("a\u{2066}b\u{200B}c\u{FEFF}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}"),
            ("a\u{2800}b", "a b"),
            ("a\u{E0041}b", "a\u{FFFD}b"), ("a\u{3164}b", "a\u{FFFD}b"), ("\u{338}a", "\u{FFFD}a"),
            ("\u{301}\u{301}a", "\u{FFFD}a"),
            ("a" + String(repeating: "\u{301}", count: 9) + "b", "a\u{301}\u{301}\u{301}\u{301}\u{FFFD}b"),
        ])
    func replaced(text: String, shown: String) { #expect(Array(ForeignText.shown(text).utf8) == Array(shown.utf8)) }

    @Test("Between the project's quotation marks there are no others")
    func quotes() {
        let text = "a\"b“c”d„e‟f\u{FF02}g'h"
        #expect(ForeignText.shown(text, inQuotes: true) == "a'b'c'd'e'f'g'h")
        #expect(ForeignText.shown(text) == text)
    }

    @Test("All of Unicode's troublemakers come out as one harmless line of bounded length")
    func troublemakers() {
        for text in Troublemakers.texts {
            for limit in [8, 60, 4096] {
                let shown = Array(ForeignText.shown(text, limit: limit, inQuotes: true).utf8)
                #expect(Troublemakers.harm(in: shown) == nil, "\(text.unicodeScalars.prefix(9).map(\.value))")
                #expect(shown.count <= max(limit, 3 * text.unicodeScalars.count) && shown.count <= max(limit, 8))
            }
            #expect(Troublemakers.harm(in: Array(ForeignText.lines(text).utf8), lines: true) == nil)
        }
    }

    @Test("Every code point is either shown as it is or is replaced by one that is")
    func everyCodePoint() {
        var replaced = 0
        // In the gate one of sixteen where whole planes are of one kind.
        let step = UInt32(full(1, gate: 16))
        for value in UInt32(0)...0x10FFFF where value < 0x10000 || value >> 12 == 0xE0 || value % step == 0 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let shown = Array(ForeignText.shown("a" + String(scalar)).utf8)
            if shown != Array(("a" + String(scalar)).utf8) { replaced += 1 }
            if let harm = Troublemakers.harm(in: shown) { Issue.record("\(harm)") }
            let again = Array(ForeignText.shown(String(decoding: shown, as: UTF8.self)).utf8)
            if again != shown { Issue.record("U+\(String(value, radix: 16)) is shown differently the second time") }
        }
        #expect(replaced > 100_000 / step)
    }

    @Test("A long path keeps its beginning and its end, and says that something is left out")
    func paths() {
        let path = "/home/mallory/" + String(repeating: "x", count: 5_000) + "/usr/bin/firefox (unsigned)"
        let shown = ForeignText.shown(path, limit: 120)
        #expect(shown.utf8.count == 120)
        #expect(shown.hasPrefix("/home/mallory/xxx") && shown.hasSuffix("/usr/bin/firefox (unsigned)"))
        #expect(shown.contains("xxx[...]xxx"))
        #expect(
            ForeignText.shown(path).contains("[...]") && ForeignText.shown(path).utf8.count == ForeignText.lineBytes)
    }

    @Test("What is cut is cut between letters, not between a letter and its marks")
    func letters() {
        let text = String(repeating: "e\u{301}", count: 100)
        for limit in 8..<40 {
            let shown = ForeignText.shown(text, limit: limit)
            #expect(shown.utf8.count <= limit)
            let parts = shown.split(separator: "[...]", omittingEmptySubsequences: false)
            #expect(parts.count == 2 && parts.joined().allSatisfy { $0 == "e\u{301}" }, "\(limit)")
        }
        #expect(ForeignText.shown("钥匙串钥匙串", limit: 14) == "钥匙[...]串")
    }

    @Test("Lines of the project keep their ends and tabs")
    func lines() {
        #expect(ForeignText.lines("a\n\tb\n\n") == "a\n\tb\n\n")
        #expect(Array(ForeignText.lines("a\u{1B}\n\u{202E}b\r\n").utf8) == Array("a\u{FFFD}\n\u{FFFD}b\u{FFFD}\n".utf8))
    }
}
