import KeychainModel
import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("generate") struct GenerateTests {
    let shell = Shell()

    private func password(_ words: String...) -> String {
        let outcome = shell.run(["generate"] + words, input: [])
        #expect(outcome.status == 0)
        return String(outcome.text.dropLast())
    }

    @Test("The usual password is three groups of six with a capital and a digit, and has 71 bits")
    func usual() {
        var seen: Set<String> = []
        for _ in 0..<200 {
            let text = password()
            let groups = text.split(separator: "-")
            #expect(groups.map(\.count) == [6, 6, 6])
            #expect(text.count { $0.isUppercase } == 1 && text.count { $0.isNumber } == 1)
            #expect(text.first?.isNumber == false)
            seen.insert(text)
        }
        #expect(seen.count == 200)
        #expect(shell.run("generate").errors == "71 bits\n")
    }

    @Test("Words and digits have the number that is asked for")
    func shapes() {
        #expect(password("--words", "4").split(separator: "-").map(\.count) == [5, 5, 5, 5])
        #expect(shell.run("generate", "-w", "4").errors == "64 bits\n")
        #expect(password("--pin", "6").allSatisfy(\.isNumber) && password("-P", "6").count == 6)
        #expect(shell.run("generate", "--pin", "6").errors == "19 bits\n")
        #expect(password("-l", "33").count == 33)
    }

    @Test("Every password obeys the rules it is made by")
    func rules() throws {
        let text =
            "minlength: 20; required: lower; required: upper; required: digit; allowed: [-_.]; max-consecutive: 2"
        let rules = try PasswordRules(text)
        for _ in 0..<200 {
            let bytes = Array(password("--rules", text).utf8)
            #expect(bytes.count == 20 && bytes.allSatisfy(rules.alphabet.contains))
            let isObeying = GeneratedPassword.isObeying(bytes.span, rules)
            #expect(isObeying)
        }
        #expect(password("--rules", "maxlength: 8").count == 8)
        #expect(password("--rules", "required: [ab]; max-consecutive: 1", "-l", "6").contains("aba"))
    }

    @Test(
        "The grammar is Apple's",
        arguments: [
            ("allowed: [-]]]", "-]"), ("allowed: [-a;,]", ",-;a"), ("required: digit, [x]", "0123456789x"),
            ("ALLOWED: [ab] ;; allowed: [c];", "abc"),
        ])
    func grammar(text: String, alphabet: String) throws {
        let rules = try PasswordRules(text)
        #expect(String(decoding: rules.alphabet.sorted(), as: UTF8.self).contains(alphabet.first ?? " "))
        #expect(Set(alphabet.utf8).isSubset(of: rules.alphabet))
    }

    @Test("Of two lengths the stricter one counts, and a requirement with two classes is met by either")
    func meaning() throws {
        let rules = try PasswordRules(
            "minlength: 8; minlength: 12; maxlength: 30; maxlength: 20; required: digit, upper")
        #expect(rules.minLength == 12 && rules.maxLength == 20 && rules.required.count == 1)
        let obeying = ["A", "1", "a"].filter { GeneratedPassword.isObeying(Array($0.utf8).span, rules) }
        #expect(obeying == ["A", "1"])
    }

    @Test(
        "Rules that cannot be read or contradict each other are a wrong command line that names the words",
        arguments: [
            ("minlength: 9; maxlength: 5", "minlength: 9 contradicts maxlength: 5"), ("minlength: x", "minlength"),
            ("colour: red", "\"colour\""), ("required: [a", "[ without its ]"), ("required: blue", "\"blue\""),
            ("allowed: [a-z]", "the - must stand first"), ("required", "\"required\""), ("required: [é]", "ASCII"),
            ("maxlength: 1; required: lower; required: digit", "hardly any password"),
            ("max-consecutive: 1; allowed: [a]", "max-consecutive: 1"), ("minlength: 99999", "minlength"),
        ])
    func contradictions(rules: String, named: String) {
        let outcome = shell.run("generate", "--rules", rules)
        #expect(outcome.status == 2 && outcome.text.isEmpty)
        #expect(outcome.errors.contains(named), "\(outcome.errors)")
    }

    @Test("Options that exclude each other are a wrong command line")
    func options() {
        #expect(shell.run("generate", "-w", "3", "-P", "4").status == 2)
        #expect(shell.run("generate", "-l", "3", "-P", "4").status == 2)
        #expect(shell.run("generate", "-l", "0").status == 2)
        #expect(shell.run("generate", "-l", "30", "-R", "maxlength: 20").status == 2)
    }

    @Test("The share of passwords that obey is counted exactly")
    func share() throws {
        // Of 4 texts of a and b with two characters, ab and ba have both.
        #expect(PasswordCount(try PasswordRules("required: [a]; required: [b]"), length: 2).share == 0.5)
        // Of 8 with three characters, aba and bab repeat none.
        #expect(PasswordCount(try PasswordRules("allowed: [ab]; max-consecutive: 1"), length: 3).share == 0.25)
        #expect(PasswordCount(try PasswordRules("allowed: [ab]"), length: 10).share == 1)
        // Of 8, all but aaa and bbb.
        #expect(PasswordCount(try PasswordRules("allowed: [ab]; max-consecutive: 2"), length: 3).share == 0.75)
    }

    @Test("--save stores what is printed, and prints nothing that was not stored")
    func save() {
        let text = password("--save", "site/ada")
        let value = shell.keychain.update { $0.items.first?.value }
        #expect(value == Array(text.utf8))
        let again = shell.run("generate", "--save", "site/ada")
        #expect(again.status == KeychainStatus.duplicateItem.rawValue && again.text.isEmpty)
    }

    @Test("--json has the password and its bits")
    func json() {
        #expect(shell.run("generate", "--pin", "4", "--json").text.hasSuffix("\",\"bits\":13}\n"))
    }
}
