import LinuxSystem
import TerminalText
import Testing

@testable import SecurityCommands

@Suite("The question about a file") struct FileQuestionTests {
    private let prompt = "Go on? [y/N] "

    @Test("Every row fits on the terminal, and together they have all text of the file", arguments: [10, 40, 80, 200])
    func cutsNothing(columns: Int) throws {
        let texts = ["  X = kc://bank/main", "  " + String(repeating: "_", count: 300), "  一二三四五六七八九十 = \u{E9}"]
        let question = FileQuestion(receiver: ["f: not used before for /bin/make"], contents: texts)
        let rows = try #require(question.rows(on: (1000, columns), above: prompt))
        let width = TextWidth(ambiguous: 2)
        #expect(rows.allSatisfy { width.columns($0) < columns })
        let shown = rows.joined().filter { $0 != " " }
        #expect(shown == (question.receiver + texts).joined().filter { $0 != " " })
    }

    @Test("A question is asked where it and the answer fit on the terminal, and not with one row less")
    func countsRows() {
        let question = FileQuestion(receiver: ["f"], command: "c", contents: [String(repeating: "x", count: 79 * 3)])
        #expect(question.rows(on: (6 + 2, 80), above: prompt) != nil)
        // Two rows, three of text with an indent that makes a fourth, and the answer.
        #expect(question.rows(on: (7, 80), above: prompt)?.count == 6)
        #expect(question.rows(on: (6, 80), above: prompt) == nil)
    }

    @Test("What moves the cursor or has no width of its own takes a column that can be seen")
    func countsMarks() throws {
        let text = "a\u{1B}[2K\u{200D}\r\n" + String(repeating: "\u{301}", count: 50) + "b"
        let question = FileQuestion(contents: [FileQuestion.quoted(SecretBytes(copying: Array(text.utf8).span))])
        let rows = try #require(question.rows(on: (24, 80), above: prompt))
        #expect(rows.count == 1 && rows[0].utf8.starts(with: "\"a\u{FFFD}[2K\u{FFFD}\u{FFFD}\u{FFFD}".utf8))
        #expect(rows[0].unicodeScalars.count < 20)
    }

    @Test("A character that one terminal draws wider than another takes the room of the wider one")
    func countsWidest() throws {
        for letter in ["\u{4DC0}", "\u{3248}", "\u{E9}", "\u{600}", "部", "👍"] {
            let question = FileQuestion(contents: [String(repeating: letter, count: 80)])
            #expect(question.rows(on: (24, 80), above: prompt)?.count == 3, "\(letter)")
            #expect(question.rows(on: (3, 80), above: prompt) == nil, "\(letter)")
        }
    }

    @Test("An item that is percent-encoded is shown with its names, and every other one as it is")
    func showsNames() throws {
        for (text, shown) in [
            ("kc://%64eploy/%63i", "kc://deploy/ci"), ("kc://deploy", "kc://deploy"),
            ("kc://a.example/b?class=inet#label", "kc://a.example/b?class=inet#label"),
            ("kc://My%20Bank/ada", "kc://My%20Bank/ada (My Bank/ada)"),
            ("kc://%E9%93%B6%E8%A1%8C/%E4%B8%BB", "kc://%E9%93%B6%E8%A1%8C/%E4%B8%BB (银行/主)"),
        ] { #expect(FileQuestion.item(try ItemReference(text)) == shown) }
    }

    @Test("The command is shortened to a row, and keeps its beginning and its end")
    func shortensCommand() throws {
        let question = FileQuestion(
            receiver: [], command: "sh " + String(repeating: "x", count: 500) + " end", contents: [])
        let rows = try #require(question.rows(on: (24, 80), above: prompt))
        #expect(rows.count == 1 && rows[0].hasPrefix("sh x") && rows[0].hasSuffix(" end"))
    }
}
