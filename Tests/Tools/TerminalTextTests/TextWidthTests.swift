import TerminalText
import Testing

@Suite("The columns of a text") struct TextWidthTests {
    let width = TextWidth()

    @Test(
        "A text has as many columns as a terminal gives it",
        arguments: [
            ("", 0), ("deploy", 6), ("部门", 4), ("café", 4), ("cafe\u{301}", 4), ("ｄｅｐ", 6), ("ｶﾞ", 2), ("한글", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2), ("👍", 2), ("👍🏽", 2), ("👩‍💻", 2), ("❤️", 2), ("🇩🇪", 2), ("1️⃣", 2),
            ("a\u{300}\u{301}b", 2),
            ("\u{4DC0}\u{3248}", 4), ("\u{600}", 1),
            ("\u{200B}", 0), ("〇", 2), ("Ω", 1), ("…", 1), ("\u{AD}", 1), ("क\u{93F}", 2),
        ])
    func columns(text: String, count: Int) { #expect(width.columns(text) == count) }

    @Test("An ambiguous character has two columns only where that is asked for")
    func ambiguous() {
        #expect(TextWidth(ambiguous: 2).columns("Ω…·部a") == 9)
        #expect(TextWidth(ambiguous: 1).columns("Ω…·部a") == 6)
        #expect(TextWidth(ambiguous: 7).columns("Ω") == 1)
        #expect(TextWidth(ambiguous: 2).columns("e\u{301}") == 1)
    }

    @Test(
        "A text that is cut is never wider than it may be, and is cut between clusters",
        arguments: [
            ("deploy", 6, "deploy"), ("deploy", 5, "depl…"), ("部门经理", 8, "部门经理"), ("部门经理", 7, "部门经…"),
            ("部门经理", 6, "部门…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👩‍💻👩‍💻", 3, "👩‍💻…"), ("ab", 1, "…"), ("ab", 0, ""), ("", 0, ""),
        ])
    func cut(text: String, limit: Int, expected: String) {
        #expect(width.cut(text, to: limit) == expected)
        #expect(width.columns(width.cut(text, to: limit)) <= limit)
    }

    @Test("A cell has exactly the columns it is given, also where a wide character does not fit")
    func fit() {
        #expect(width.fit("部门", to: 6) == "部门  ")
        #expect(width.fit("部门经理", to: 4) == "部… ")
        #expect(width.fit("", to: 2) == "  ")
        #expect(TextWidth(ambiguous: 2).fit("deploy", to: 4) == "de…")
    }

    @Test("Every width is the same whichever text stands before it")
    func sum() {
        let samples = ["部", "a", "é", "👍🏽", "한", "Ω"]
        let joined = samples.joined(separator: " ")
        #expect(width.columns(joined) == samples.reduce(0) { $0 + width.columns($1) } + samples.count - 1)
    }
}
