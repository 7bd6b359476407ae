import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("add-…-password") struct AddPasswordTests {
    let shell = Shell()

    private var items: [StandInKeychain.Item] { shell.keychain.update { $0.items } }

    private func attributes() throws -> [AttributeID: AttributeValue] {
        var attributes = try #require(items.first).attributes
        for id in [.accessGroup, .creationDate, .modificationDate] as [AttributeID] { attributes[id] = nil }
        return attributes
    }

    @Test("the label of a generic password is its service unless there is another", .rule("command.add.defaults"))
    func genericDefaults() throws {
        #expect(shell.run("add-generic-password", "-a", "ada", "-s", "example", "-w", "sesame") == .init(0))
        #expect(
            try attributes() == [
                .account: .string("ada"), .service: .string("example"), .label: .string("example"),
            ])
        #expect(items[0].value == Array("sesame".utf8))
        #expect(items[0].itemClass == .genericPassword)
    }

    @Test("every option of a generic password sets its attribute")
    func genericOptions() throws {
        let outcome = shell.run(
            "add-generic-password", "-a", "ada", "-s", "example", "-c", "aapl", "-C", "note", "-D", "kind", "-G", "gen",
            "-j", "comment", "-l", "label", "-p", "sesame", "login.keychain")
        #expect(outcome == .init(0))
        #expect(
            try attributes() == [
                .account: .string("ada"), .service: .string("example"), .label: .string("label"),
                .creator: .number(0x6161_706C), .type: .number(0x6E6F_7465), .description: .string("kind"),
                .generic: .data(Array("gen".utf8)), .comment: .string("comment"),
            ])
    }

    @Test(
        "the authentication type of an internet password is dflt, its label the server", .rule("command.add.defaults"))
    func internetDefaults() throws {
        #expect(shell.run("add-internet-password", "-a", "ada", "-s", "example.org", "-w", "sesame") == .init(0))
        #expect(
            try attributes() == [
                .account: .string("ada"), .server: .string("example.org"), .label: .string("example.org"),
                .authenticationType: .string("dflt"),
            ])
        #expect(items[0].itemClass == .internetPassword)
    }

    @Test("every option of an internet password sets its attribute; -p is the path here")
    func internetOptions() throws {
        let outcome = shell.run(
            "add-internet-password", "-a", "ada", "-s", "example.org", "-d", "domain", "-p", "/path", "-P", "8443",
            "-r",
            "htps", "-t", "form", "-l", "label", "-wsesame")
        #expect(outcome == .init(0))
        #expect(
            try attributes() == [
                .account: .string("ada"), .server: .string("example.org"), .securityDomain: .string("domain"),
                .path: .string("/path"), .port: .number(8443), .protocol: .string("htps"),
                .authenticationType: .string("form"), .label: .string("label"),
            ])
    }

    @Test(
        "without account and service or server the usage is shown",
        arguments: [
            ["add-generic-password", "-a", "x"], ["add-generic-password", "-s", "x"], ["add-generic-password"],
            ["add-internet-password", "-a", "x"], ["add-internet-password", "-s", "x"],
            ["add-generic-password", "-a", "x", "-s", "y", "login.keychain", "login.keychain"],
        ])
    func required(words: [String]) {
        let outcome = shell.run(words, input: [])
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("Usage: \(words[0]) -a account"))
        #expect(items.isEmpty)
    }

    @Test(
        "a four-character code has four characters, a port is a number",
        arguments: [("c", "abc"), ("C", "abcde"), ("r", "ftp"), ("t", ""), ("P", "x"), ("P", "65536"), ("P", "")])
    func malformed(option: String, value: String) {
        let outcome = shell.run("add-internet-password", "-a", "x", "-s", "y", "-\(option)", value)
        #expect(outcome.status == 2)
        let expected =
            option == "P"
            ? "security: \"\(value)\" is not a port number\n"
            : "security: Error: four-character types must be exactly 4 characters long.\n"
        #expect(outcome.errors.hasPrefix(expected))
    }

    @Test("an item that exists is refused with macOS's words, and exit status 45")
    func duplicate() {
        let exists = "The specified item already exists in the keychain.\n"
        let generic = ["add-generic-password", "-a", "x", "-s", "y"]
        _ = shell.run(generic, input: [])
        #expect(
            shell.run(generic, input: [])
                == .init(-25299, errors: "security: SecKeychainItemCreateFromContent (<default>): \(exists)"))
        #expect(
            shell.run(generic + ["login.keychain"], input: [])
                == .init(-25299, errors: "security: SecKeychainItemCreateFromContent (login.keychain): \(exists)"))
        let internet = ["add-internet-password", "-a", "x", "-s", "y"]
        _ = shell.run(internet, input: [])
        #expect(
            shell.run(internet, input: [])
                == .init(-25299, errors: "security: SecKeychainAddInternetPassword <NULL>: \(exists)"))
    }

    @Test("without -w the password is empty; of several the last counts")
    func whichPassword() {
        _ = shell.run("add-generic-password", "-a", "1", "-s", "y")
        _ = shell.run("add-generic-password", "-a", "2", "-s", "y", "-w", "first", "-X", "00ff")
        _ = shell.run("add-generic-password", "-a", "3", "-s", "y", "-X", "aB", "-w", "-U")
        #expect(items.map(\.value) == [[], [0x00, 0xFF], Array("-U".utf8)])
    }

    @Test("-X takes hexadecimal and nothing else", arguments: ["0", "0g", "é"])
    func badHex(word: String) {
        let outcome = shell.run("add-generic-password", "-a", "x", "-s", "y", "-X", word)
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("security: -X needs an even number of hex digits\n"))
    }

    @Test("words that are not UTF-8 arrive byte for byte: a password as it is, an attribute as data")
    func bytes() {
        let odd: [UInt8] = [0xFF, 0xC3, 0x41]
        let words = ["add-generic-password", "-a", "x", "-s"].map { Argument($0) }
        let last = Argument(SecretBytes(copying: odd.span))
        _ = shell.run(words + [last, Argument("-w"), last])
        #expect(items.first?.value == odd)
        #expect(items.first?.attributes[.service] == .data(odd))
    }

    @Test("-A and -T are accepted and change nothing", arguments: [["-A"], ["-T", "/bin/ls", "-T", ""]])
    func access(options: [String]) {
        #expect(shell.run(["add-generic-password", "-a", "x", "-s", "y"] + options, input: []) == .init(0))
        #expect(items.count == 1)
        let verbose = shell.run(["-v", "add-generic-password", "-a", "z", "-s", "y"] + options, input: [])
        #expect(
            verbose.errors.hasSuffix(
                "security: -A and -T change nothing: an item belongs to the program that added it.\n"))
    }

    @Test("more than a value may have is refused, with what to do instead")
    func tooLarge() {
        let value = [UInt8](repeating: UInt8(ascii: "x"), count: ItemLimits.valueBytes + 1)
        let outcome = shell.run(["-v", "add-generic-password", "-a", "x", "-s", "y", "-w"], input: value)
        #expect(outcome.status == -50)
        #expect(outcome.reasons.contains("The value has 1048577 bytes; an item keeps at most 1048576."))
        let largest = shell.run(["add-generic-password", "-a", "x", "-s", "y", "-w"], input: Array(value.dropLast()))
        #expect(largest == .init(0))
    }
}

@Suite("add-…-password -U") struct UpdatePasswordTests {
    let shell = Shell()

    private var items: [StandInKeychain.Item] { shell.keychain.update { $0.items } }

    @Test("an item that exists is updated: what is given changes, the rest stays", .rule("command.add.update"))
    func update() throws {
        _ = shell.run("add-generic-password", "-a", "x", "-s", "y", "-w", "old", "-l", "label", "-j", "old comment")
        #expect(
            shell.run("add-generic-password", "-U", "-a", "x", "-s", "y", "-w", "new", "-j", "new comment") == .init(0))
        let item = try #require(items.first)
        #expect(items.count == 1)
        #expect(item.value == Array("new".utf8))
        #expect(item.attributes[.comment] == .string("new comment"))
        #expect(item.attributes[.label] == .string("label"))
    }

    @Test("without a password an update leaves the password alone")
    func keepsPassword() {
        _ = shell.run("add-generic-password", "-a", "x", "-s", "y", "-w", "old")
        #expect(shell.run("add-generic-password", "-U", "-a", "x", "-s", "y", "-j", "c") == .init(0))
        #expect(shell.run("add-generic-password", "-U", "-a", "x", "-s", "y") == .init(0))
        #expect(items.map(\.value) == [Array("old".utf8)])
    }

    @Test("an item that does not exist is added")
    func add() {
        #expect(shell.run("add-generic-password", "-U", "-a", "x", "-s", "y", "-w", "new") == .init(0))
        #expect(items.map(\.value) == [Array("new".utf8)])
    }

    @Test("one internet password is updated, not all that share the attributes given")
    func onlyOne() {
        for path in ["/a", "/b"] {
            _ = shell.run("add-internet-password", "-a", "x", "-s", "y", "-p", path, "-w", "old")
        }
        #expect(shell.run("add-internet-password", "-U", "-a", "x", "-s", "y", "-w", "new") == .init(0))
        #expect(items.map(\.value) == [Array("new".utf8), Array("old".utf8)])
    }

    @Test("a refusal of the update is a refusal, and nothing is added")
    func refused() {
        _ = shell.run("add-generic-password", "-a", "x", "-s", "y", "-w", "old")
        shell.keychain.update { state in
            state.passcode = [1]
            state.isLocked = true
        }
        let outcome = shell.run("add-generic-password", "-U", "-a", "x", "-s", "y", "-w", "new")
        #expect(
            outcome
                == .init(-25308, errors: "security: SecKeychainSearchCopyNext: User interaction is not allowed.\n"))
        #expect(items.count == 1)
    }
}

@Suite("A password from standard input") struct PipedSecretTests {
    let shell = Shell()

    private func stored(_ input: [UInt8]) -> [UInt8]? {
        #expect(shell.run(["add-generic-password", "-a", "x", "-s", "y", "-w"], input: input) == .init(0))
        return shell.keychain.update { $0.items.first?.value }
    }

    @Test(
        "it is all of the input, without one line end behind a text",
        arguments: [
            ("sesame", "sesame"), ("sesame\n", "sesame"), ("sesame\n\n", "sesame\n"), ("a\nb\n", "a\nb"), ("\n", ""),
            ("a\r\n", "a\r"), ("é\n", "é"), (" a \n", " a "),
        ])
    func text(input: String, value: String) { #expect(stored(Array(input.utf8)) == Array(value.utf8)) }

    @Test("two equal lines are one password and its repetition, as programs for macOS send it")
    func repetition() {
        #expect(stored(Array("sesame\nsesame\n".utf8)) == Array("sesame".utf8))
    }

    @Test("lines that are not equal, or have no end, are all kept", arguments: ["a\nb\n", "a\na", "a\na\na\n"])
    func noRepetition(input: String) {
        let expected = input.hasSuffix("\n") ? String(input.dropLast()) : input
        #expect(stored(Array(input.utf8)) == Array(expected.utf8))
    }

    @Test(
        "what is not text is kept byte for byte",
        arguments: [[0x00, 0x0A], [0xFF, 0x0A], [0x1B, 0x0A], [0x0A, 0x80, 0x0A]] as [[UInt8]])
    func binary(input: [UInt8]) { #expect(stored(input) == input) }

    @Test("no input is no password: nothing is added")
    func empty() {
        let outcome = shell.run("add-generic-password", "-a", "x", "-s", "y", "-w")
        #expect(outcome == .init(1, errors: "security: no password on standard input\n"))
        #expect(shell.keychain.update { $0.items.isEmpty })
    }

    @Test(
        "what find-…-password -w writes, add-…-password -w reads back as it was",
        arguments: [
            Array("sesame".utf8), Array("-----BEGIN-----\nabc\n-----END-----\n".utf8), [0x00], [0xFF, 0x0A], [0x0A], [],
            Array("é\n\n".utf8), [0xC2, 0x85], Array(UInt8.min...UInt8.max),
        ] as [[UInt8]])
    func roundTrip(value: [UInt8]) {
        let hex = value.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(shell.run("add-generic-password", "-a", "1", "-s", "y", "-X", hex) == .init(0))
        let found = shell.run("find-generic-password", "-a", "1", "-w")
        _ = shell.run(["add-generic-password", "-a", "2", "-s", "y", "-w"], input: found.output)
        #expect(shell.keychain.update { $0.items.map(\.value) } == [value, value])
    }
}
