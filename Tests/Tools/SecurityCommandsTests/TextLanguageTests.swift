import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("Texts for people in their language")
struct LanguageTests {
    private func language(_ variables: [String: String]) -> UserLanguage { UserLanguage { variables[$0] } }

    @Test("LANGUAGE comes first where the locale is a language, and is a list; the agent's prompts have the same type")
    func list() {
        #expect(language(["LANGUAGE": "zh", "LANG": "en_US.UTF-8"]) == .chinese)
        #expect(language(["LANGUAGE": "en", "LANG": "zh_CN.UTF-8"]) == .english)
        #expect(language(["LANGUAGE": "fr:zh_CN:en", "LC_ALL": "de_DE"]) == .chinese)
        #expect(language(["LANGUAGE": "zh", "LANG": "C.UTF-8"]) == .english)
        #expect(language(["LANGUAGE": "zh", "LC_MESSAGES": "en_GB"]) == .chinese)
        #expect(language(["LANGUAGE": "", "LANG": "zh_CN"]) == .chinese)
    }

    @Test("LC_ALL comes before LC_MESSAGES, and that before LANG; an empty one counts as none")
    func order() {
        #expect(language(["LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"]) == .chinese)
        #expect(language(["LC_ALL": "C", "LC_MESSAGES": "zh_CN", "LANG": "zh_CN"]) == .english)
        #expect(language(["LC_ALL": "", "LC_MESSAGES": "zh", "LANG": "C"]) == .chinese)
        #expect(language(["LANG": "zh_TW.UTF-8@x"]) == .chinese)
        #expect(language([:]) == .english)
    }

    @Test(
        "Every other language is English", arguments: ["C", "POSIX", "en_US.UTF-8", "de_DE", "zha", "z", "ZHO", "/zh"])
    func others(locale: String) { #expect(language(["LC_ALL": locale]) == .english) }

    @Test("English stays as it is, and a text without a translation too")
    func english() {
        #expect(UserLanguage.english.text("Deleted.") == "Deleted.")
        #expect(UserLanguage.chinese.text("A text that is nowhere.") == "A text that is nowhere.")
        #expect(UserLanguage.chinese.text("") == "")
        #expect(UserLanguage.chinese.text("Deleted.") == "已删除。")
    }

    @Test("Names and numbers are put into the translation where it wants them, and are never translated themselves")
    func places() {
        let texts = Catalogue("{1} of {2}\t{2} 之 {1}\n{1} of {2} items.\t{2} 项之 {1}。\nDeleted.\t删\nAdded {1}.\t加 {1}。")
        #expect(texts.translation(of: "3 of 4") == "4 之 3")
        #expect(texts.translation(of: "3 of 4 items.") == "4 项之 3。")
        #expect(texts.translation(of: "Added Deleted..") == "加 Deleted.。")
        #expect(texts.translation(of: "Added {2} and {1}.") == "加 {2} and {1}。")
        #expect(texts.translation(of: "Added") == nil)
        #expect(texts.translation(of: "Added .") == "加 。")
    }

    @Test(
        "A place takes no more than is put there: a number, one quotation, or words of a sentence",
        arguments: [
            ("1,234 of 5", "5 之 1,234"), ("what is left of it can be examined", nil), ("3 of them", nil),
            (#"No service "a \"b\" c"."#, #"无 "a \"b\" c"。"#), (#"No service "a" and account "b"."#, nil),
            (#"Accounts: "a", "b", …."#, #"账户："a", "b", …。"#),
            ("a file is gone", "a file 没了"), ("It failed. The file is gone", nil), ("why: the file is gone", nil),
            ("Ask one. Then do it or leave it.", nil), ("It failed. Try again.", "It failed. 再试。"),
        ] as [(String, String?)])
    func takenPlaces(text: String, translation: String?) {
        let texts = Catalogue(
            "{1#} of {2#}\t{2} 之 {1}\nNo service {1}.\t无 {1}。\n{1} is gone\t{1} 没了\nAsk {1} or {2}.\t问 {1} 或 {2}。\n"
                + "{1} Try again.\t{1} 再试。\nAccounts: {1}{2}.\t账户：{1}{2}。")
        #expect(texts.translation(of: text) == translation)
    }

    @Test("The template that says most is taken")
    func mostWords() {
        let texts = Catalogue("{1}: {2}\ta{1}{2}\n{1}: nothing in {2}\tb{1}{2}")
        #expect(texts.translation(of: "x: nothing in y") == "bxy")
        #expect(texts.translation(of: "x: y") == "axy")
    }

    @Test("A row that has no translation, or more than one, is none")
    func rows() {
        let texts = Catalogue("one\ntwo\t2\t3\nthree\t3\n")
        #expect(texts.translation(of: "one") == nil)
        #expect(texts.translation(of: "two") == nil)
        #expect(texts.translation(of: "three") == "3")
    }

    @Test("Every template of the catalogue translates a text of its own form")
    func catalogue() {
        let rows = ChineseTexts.rows.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
        #expect(rows.count > 800)
        for row in rows {
            #expect(row.count == 2, "\(row)")
            let text = row[0].replacing(/{\d+#}/, with: "7").replacing(/{\d+}/, with: "VALUE")
            let found = UserLanguage.chinese.text(text)
            #expect(found != text || row[0] == row[1], "\(row[0])")
        }
    }

    @Test("A command speaks its user's language, and macOS's commands keep their first line")
    func commands() {
        var (english, chinese) = (Shell(), Shell())
        chinese.environment = ["LANG": "zh_CN.UTF-8"]
        #expect(chinese.run("show", "nothing").errors.contains("security: 原因：没有项目的服务、服务器、标签或账户中含有"))
        #expect(chinese.run("show", "nothing").errors.contains("security: 下一步："))
        for words in [["find-generic-password", "-s", "nothing"], ["add-generic-password", "-s", "s", "-T"]] {
            let first = english.run(words, input: []).errors.split(separator: "\n").first
            #expect(first != nil && chinese.run(words, input: []).errors.split(separator: "\n").first == first)
        }
        for words in [["--json", "show", "nothing"], ["-M", "find-generic-password", "-s", "nothing"]] {
            let (ours, theirs) = (chinese.run(words, input: []), english.run(words, input: []))
            #expect(ours.errors == theirs.errors && ours.text == theirs.text && !ours.errors.isEmpty)
        }
        english.environment = ["LANG": "C"]
        #expect(english.run("show", "nothing").reasons.hasPrefix("security: why: "))
    }
    @Test("The help speaks its user's language; JSON and macOS's form do not")
    func help() {
        var (english, chinese) = (Shell(), Shell())
        chinese.environment = ["LANG": "zh_CN.UTF-8"]
        #expect(chinese.run("help", "add").text.hasPrefix("用法：add [-S] item [field=value ...] [-d number]\n"))
        #expect(chinese.run("help", "add").text.contains("退出状态 45：已有这样的项目。\n"))
        #expect(chinese.run("list", "--nothing").errors.contains("用法：list "))
        for name in CommandTable.commands.map(\.name) {
            let text = chinese.run("help", name).text
            #expect(!text.contains(/[a-z]{3}\. [A-Z]/) && text.contains("参见"), "\(text)")
            for words in [["--json", "help", name], ["-M", "help", name]] {
                #expect(chinese.run(words, input: []) == english.run(words, input: []))
            }
        }
    }

    @Test("A paragraph breaks between words and between wide characters, never before a mark that closes")
    func paragraphs() {
        let english = Paragraph(String(repeating: "word ", count: 41) + "end").lines
        #expect(english.map(\.count) == [99, 99, 8])
        let chinese = Paragraph(String(repeating: "字", count: 50) + "，" + String(repeating: "词", count: 3)).lines
        #expect(chinese == [String(repeating: "字", count: 49), "字，词词词"])
        #expect(Paragraph("").lines == [""])
        #expect(Paragraph("a b").lines == ["a b"])
    }
}
