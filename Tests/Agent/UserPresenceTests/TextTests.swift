import EnclaveWire
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

struct TextTests {
    @Test("every text is there in every language, with the same places", arguments: Text.allCases)
    func languages(_ text: Text) {
        let texts = UserLanguage.allCases.map { text($0, "\u{1}", "\u{2}") }
        #expect(Set(texts).count == texts.count, "\(text) is not translated")
        for shown in texts { #expect(!shown.isEmpty && !shown.contains("%")) }
        for place in ["\u{1}", "\u{2}"] { #expect(Set(texts.map { $0.contains(place) }).count == 1) }
    }

    @Test("English is ASCII, for terminals that can show nothing else", arguments: Text.allCases)
    func plain(_ text: Text) {
        let isASCII = text(.english).utf8.allSatisfy { $0 < 0x80 }
        #expect(isASCII)
    }

    @Test("what is filled in is not filled in again")
    func places() { #expect(Text.asksForItem(.english, "%2", "%1") == "\"%2\" wants to use \"%1\".") }

    @Test(
        "the locale's variables count in the usual order",
        arguments: [
            ([:], .english), (["LANG": "zh_CN.UTF-8"], .chinese), (["LANG": "zh_SG"], .chinese),
            (["LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_GB.UTF-8"], .english),
            (["LANG": "en_US.UTF-8", "LC_ALL": "zh_CN.UTF-8"], .chinese),
            (["LANG": "en_US.UTF-8", "LANGUAGE": "zh:en"], .chinese),
            (["LANG": "zh_CN.UTF-8", "LANGUAGE": "en:zh"], .english),
            (["LANG": "en_US.UTF-8", "LANGUAGE": "fr:zh_CN"], .chinese),
            (["LANG": "C", "LANGUAGE": "zh"], .english), (["LC_ALL": "C.UTF-8", "LANGUAGE": "zh"], .english),
            (["LANG": "de_DE.UTF-8"], .english), (["LC_CTYPE": "zh_CN.UTF-8"], .english), (["LC_ALL": ""], .english),
        ] as [([String: String], UserLanguage)])
    func language(_ environment: [String: String], _ language: UserLanguage) {
        #expect(UserLanguage { environment[$0] } == language)
    }

    private static func question(_ kind: UserQuestion.Kind = .passcode, _ prompt: Prompt = Prompt()) -> UserQuestion {
        UserQuestion(kind, AuthenticationContext(identifier: [], caller: []), prompt)
    }

    @Test("a prompt names the program, the item and the reason", .rule("authentication.prompt.safe"))
    func names() {
        var prompt = Prompt(reason: "Log in to the server")
        (prompt.program, prompt.item) = ("/usr/bin/deploy", "server key")
        #expect(
            Wording(Self.question(.passcode, prompt)).lines == [
                "\"/usr/bin/deploy\" wants to use \"server key\".", "The reason it gives: \"Log in to the server\"",
                "Enter the passcode of your keychain.",
            ])
        prompt.surroundings.environment = ["LANG": "zh_CN.UTF-8"]
        #expect(
            Wording(Self.question(.finger, prompt)).lines == [
                "“/usr/bin/deploy”想要使用“server key”。", "它给出的理由：“Log in to the server”", "请触摸指纹传感器。",
            ])
    }

    @Test(
        "a program in a deep folder is shown with whose folder that is, its own name, and that there is more",
        .rule("authentication.prompt.safe"))
    func deepFolders() {
        var prompt = Prompt()
        prompt.program = "/home/mallory/\(String(repeating: "x", count: 4000))/usr/bin/firefox (unsigned)"
        let line = Wording(Self.question(.passcode, prompt)).lines[0]
        #expect(line.hasPrefix("\"/home/mallory/xxxx") && line.contains("x[...]x"))
        #expect(line.contains("/usr/bin/firefox (unsigned)\" wants"))
    }

    @Test(
        "a change of the circle is told in the enclave's words, with what it leads to, and no reason of the program's")
    func changes() {
        var prompt = Prompt(reason: "Only a test, say yes")
        prompt.program = "/usr/bin/security"
        var question = Self.question(.passcode, prompt)
        question.change = .init(.addsMachine, name: " laptop\n", fingerprint: "0123-4567")
        #expect(
            Wording(question).lines == [
                "\"/usr/bin/security\" wants to add the machine \"laptop\" (0123-4567) to your circle.",
                "Compare the number with that machine's. It will read and change all items you synchronise.",
                "Enter the passcode of your keychain.",
            ])
        question.change = .init(.removesMachine, name: "phone", fingerprint: "89ab", others: "watch (cdef)")
        #expect(
            Wording(question).lines[1...2] == [
                "It keeps what it has, and gets nothing new.",
                "Machines that it has added go as well: watch (cdef)",
            ])
        question.prompt.item = "/mnt/stick"
        #expect(Wording(question).lines[3] == "Its changes travel through \"/mnt/stick\".")
        question.change = .init(.leaves, fingerprint: "89ab")
        #expect(Wording(question).lines[2] == "Its changes travel through \"/mnt/stick\".")
        #expect(
            Wording(question).lines[0...1] == [
                "\"/usr/bin/security\" wants this machine to leave the circle 89ab.",
                "Its items stay here. Remove this machine on another one, which gives the circle new keys.",
            ])
        question.change = .init(.resets, fingerprint: "89ab")
        #expect(Wording(question).lines[1].hasPrefix("All items stay here."))
        question.change = .init(.begins, name: "desk")
        #expect(Wording(question).lines[0].hasSuffix("a circle of your machines, with this one as \"desk\"."))
        question.change = .init(.joins, name: "desk", fingerprint: "89ab")
        question.prompt.surroundings.environment = ["LANG": "zh_CN.UTF-8"]
        #expect(Wording(question).lines[0] == "“/usr/bin/security”想要让本机以“desk”加入圈子 89ab。")
    }

    @Test("a recovery key in a list of machines is called one, in every language")
    func listedRecoveryKeys() {
        var question = Self.question(.passcode, Prompt())
        question.change = .init(.removesMachine, name: "phone", others: "watch (cdef), (0123-4567)")
        #expect(Wording(question).lines[2].hasSuffix(": watch (cdef), a recovery key (0123-4567)"))
        question.prompt.surroundings.environment = ["LANG": "zh_CN.UTF-8"]
        #expect(Wording(question).lines[2].hasSuffix("恢复密钥 (0123-4567)"))
    }

    @Test("a long list of machines is cut between two of them, and says how many more there are")
    func longLists() {
        let machines = (1...9).map { "the machine in room \($0) (0123-4567-89ab, 2026-11-2\($0))" }
        var question = Self.question(.passcode, Prompt())
        question.change = .init(.removesMachine, name: "phone", others: machines.joined(separator: ", "))
        let line = Wording(question).lines[2]
        #expect(line == "Machines that it has added go as well: \(machines[..<4].joined(separator: ", ")), and 5 more")
        question.change = .init(.removesMachine, name: "phone", others: machines[..<4].joined(separator: ", "))
        #expect(Wording(question).lines[2].hasSuffix(machines[3]))
        question.prompt.surroundings.environment = ["LANG": "zh_CN.UTF-8"]
        question.change = .init(.removesMachine, name: "phone", others: machines.joined(separator: ", "))
        #expect(Wording(question).lines[2].hasSuffix("，另有 5 台"))
    }

    @Test(
        "no machine's name hides it behind the one before",
        arguments: ["\u{301}", "\u{200D}", "\u{FE0F}", "\u{1F3FD}"])
    func hiddenMachines(mark: String) {
        func shown(_ number: Int) -> String { "the room \(number) (0123-4567-89ab, 2026-11-2\(number))" }
        let machines = (1...9).map { ($0.isMultiple(of: 2) ? mark : "") + shown($0) }
        var question = Self.question(.passcode, Prompt())
        question.change = .init(.removesMachine, name: "phone", others: machines.joined(separator: ", "))
        let line = Wording(question).lines[2]
        for number in 1...4 { #expect(line.contains(shown(number)), "\(line)") }
        let count = line.split(separator: "0123-4567-89ab").count - 1
        #expect(line.hasSuffix(", and \(9 - count) more"), "\(line)")
    }

    @Test("a recovery is told with what it opens, who reads along, and how old the place is")
    func recovery() {
        var prompt = Prompt(reason: "Only a test, say yes")
        (prompt.program, prompt.item) = ("/usr/bin/security", "/mnt/stick")
        var question = Self.question(.passcode, prompt)
        question.change = .init(.recovers, name: "2026-11-29", fingerprint: "0123", others: "laptop (89ab)")
        #expect(
            Wording(question).lines == [
                "\"/usr/bin/security\" wants this machine to enter the circle 0123 by its recovery key.",
                "The newest change there is of 2026-11-29.",
                "These machines will read and change your items: laptop (89ab)",
                "Its changes travel through \"/mnt/stick\".",
                "Enter the passcode of your keychain.",
            ])
        question.change = .init(.makesRecoveryKey, fingerprint: "0123", others: "4567")
        #expect(Wording(question).lines.contains("The recovery key from before serves no more."))
        question = Self.question(.shownCode, prompt)
        question.digits = "ABCDE-FGHJK"
        #expect(
            Wording(question).lines[1...] == [
                "Write this code down, and keep it away from your machines: ABCDE-FGHJK",
                "It is not shown again. It opens all items you synchronise.",
            ])
        #expect(Wording(Self.question(.code, prompt)).label == "Recovery code:")
    }

    @Test("a pairing is told in words of its own, without a reason of the program's")
    func pairing() {
        var prompt = Prompt(reason: "Only a test, say yes")
        (prompt.program, prompt.item) = ("/usr/bin/security", "/mnt/stick")
        var question = Self.question(.shownDigits, prompt)
        question.digits = "1234 5678"
        #expect(
            Wording(question).lines == [
                "\"/usr/bin/security\" wants to add a machine to your circle.",
                "Its changes travel through \"/mnt/stick\".",
                "Enter these digits on the other machine: 1234 5678",
                "They serve once, for ten minutes. Give them to nobody.",
            ])
        let asked = Wording(Self.question(.digits, prompt))
        #expect(
            asked.lines == [
                "\"/usr/bin/security\" wants this machine to join a circle of yours.",
                "Its changes travel through \"/mnt/stick\".",
                "Enter the eight digits that the other machine shows.",
            ])
        #expect(asked.label == "Digits:")
    }

    @Test("spaces and lines in a program's text push nothing out of sight")
    func spaces() {
        let prompt = Prompt(reason: "  a \t b\r\nc\(String(repeating: " ", count: 300))d", cancelTitle: "\n\u{8}")
        let wording = Wording(Self.question(.passcode, prompt))
        #expect(wording.lines[1] == "The reason it gives: \"a b c d\"")
        #expect(wording.cancel == "\u{FFFD}")
    }

    @Test("a program cannot fake a line, a quotation's end or a button")
    func fakes() {
        var prompt = Prompt(
            reason: "x\"\nEnter the passcode of your bank.\u{1B}[1A", fallbackTitle: "a\nb", cancelTitle: "\u{1B}c")
        (prompt.program, prompt.item) = ("/tmp/a\nb", "i\r\ni")
        var question = Self.question(.finger, prompt)
        question.allowsFallback = true
        let wording = Wording(question)
        for text in wording.lines + [wording.cancel, wording.fallback ?? ""] {
            let isOneLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            #expect(isOneLine)
        }
        #expect(wording.lines.count == 3)
        #expect(wording.lines[1].count { $0 == "\"" } == 2)
    }

    @Test("the alternative to a finger is there when the question and the program allow it")
    func fallback() {
        var question = Self.question(.finger)
        #expect(Wording(question).fallback == nil)
        question.allowsFallback = true
        #expect(Wording(question).fallback == "Enter Passcode")
        question.prompt.fallbackTitle = "Type"
        #expect(Wording(question).fallback == "Type")
        question.prompt.fallbackTitle = ""
        #expect(Wording(question).fallback == nil)
    }

    @Test("what was wrong is said, and how long to wait")
    func errors() {
        var question = Self.question()
        #expect(Wording(question).error == nil)
        question.failures = 1
        #expect(Wording(question).error == "That was wrong. Try again.")
        question.wait = 30
        #expect(Wording(question).error == "Too many attempts: wait 30 seconds.")
        question = Self.question(.finger)
        question.failures = 1
        #expect(Wording(question).error == "The finger was not recognised. Try again.")
    }

    @Test("the longest description fits into one line of Assuan")
    func fits() {
        let long = String(repeating: "长%", count: 5000)
        for language in ["en_US.UTF-8", "zh_CN.UTF-8"] {
            var prompt = Prompt(reason: long, surroundings: PromptEnvironment(environment: ["LANG": language]))
            (prompt.program, prompt.item) = (long, long)
            for kind in [
                UserQuestion.Kind.finger, .passcode, .loginPassword, .newApplicationPassword, .shownDigits, .digits,
                .shownCode, .code,
            ] {
                let lines = Wording(Self.question(kind, prompt)).lines
                #expect(AssuanLine.encoded(lines.joined(separator: "\n")).count < AssuanLine.limit - 10)
            }
            for change in [
                UserQuestion.Change.Kind.begins, .joins, .addsMachine, .removesMachine, .leaves, .makesRecoveryKey,
                .recovers, .resets,
            ] {
                var question = Self.question(.passcode, prompt)
                question.change = .init(change, name: long, fingerprint: long, others: long)
                let lines = Wording(question).lines
                #expect(AssuanLine.encoded(lines.joined(separator: "\n")).count < AssuanLine.limit - 10)
            }
        }
    }
}
