import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

/// The output for a generic password (rule command.dump.layout); `rest` is for the lines that differ.
func genericDump(account: String = "\"ada\"", service: String = "\"example\"", label: String = "\"example\"") -> String
{
    """
    keychain: "/home/ada/keychain/keychain.db"
    version: 512
    class: "genp"
    attributes:
        0x00000007 <blob>=\(label)
        0x00000008 <blob>=<NULL>
        "acct"<blob>=\(account)
        "cdat"<timedate>=0x32303139303130323033303430355A00  "20190102030405Z\\000"
        "crtr"<uint32>=<NULL>
        "cusi"<sint32>=<NULL>
        "desc"<blob>=<NULL>
        "gena"<blob>=<NULL>
        "icmt"<blob>=<NULL>
        "invi"<sint32>=<NULL>
        "mdat"<timedate>=0x32303139303130323033303430355A00  "20190102030405Z\\000"
        "nega"<sint32>=<NULL>
        "prot"<blob>=<NULL>
        "scrp"<sint32>=<NULL>
        "svce"<blob>=\(service)
        "type"<uint32>=<NULL>

    """
}

@Suite("find-…-password") struct FindPasswordTests {
    let shell = Shell()

    init() {
        _ = shell.run("add-generic-password", "-a", "ada", "-s", "example", "-w", "sesame")
    }

    @Test("a generic password is shown byte for byte as on macOS", .rule("command.dump.layout"))
    func generic() {
        #expect(shell.run("find-generic-password", "-s", "example") == .init(0, genericDump()))
    }

    @Test("an internet password is shown byte for byte as on macOS", .rule("command.dump.layout"))
    func internet() {
        _ = shell.run(
            "add-internet-password", "-a", "grace", "-s", "example.org", "-P", "80", "-r", "ftp ", "-p", "/", "-d", "",
            "-D", "",
            "-c", "aapl", "-j", "a \"quoted\" b\\c")
        let expected = """
            keychain: "/home/ada/keychain/keychain.db"
            version: 512
            class: "inet"
            attributes:
                0x00000007 <blob>="example.org"
                0x00000008 <blob>=<NULL>
                "acct"<blob>="grace"
                "atyp"<blob>="dflt"
                "cdat"<timedate>=0x32303139303130323033303430355A00  "20190102030405Z\\000"
                "crtr"<uint32>="aapl"
                "cusi"<sint32>=<NULL>
                "desc"<blob>=
                "icmt"<blob>=0x61202271756F7465642220625C63  "a "quoted" b\\134c"
                "invi"<sint32>=<NULL>
                "mdat"<timedate>=0x32303139303130323033303430355A00  "20190102030405Z\\000"
                "nega"<sint32>=<NULL>
                "path"<blob>="/"
                "port"<uint32>=0x00000050  "\\000\\000\\000P"
                "prot"<blob>=<NULL>
                "ptcl"<uint32>="ftp "
                "scrp"<sint32>=<NULL>
                "sdmn"<blob>=<NULL>
                "srvr"<blob>="example.org"
                "type"<uint32>=<NULL>

            """
        #expect(shell.run("find-internet-password", "-s", "example.org") == .init(0, expected))
    }

    @Test("-g adds the password on stderr, so that stdout stays as without it", .rule("command.find.password"))
    func withPassword() {
        #expect(
            shell.run("find-generic-password", "-a", "ada", "-g")
                == .init(0, genericDump(), errors: "password: \"sesame\"\n"))
    }

    @Test(
        "-g shows what is not printable as hexadecimal and octal escapes", .rule("command.dump.layout"),
        arguments: [
            ("61c3a9", "0x61C3A9  \"a\\303\\251\""), ("00ff", "0x00FF "), ("", ""), ("5c", "0x5C "),
            ("610a", "0x610A  \"a\\012\""), ("7e20", "\"~ \""),
        ])
    func cell(hex: String, shown: String) {
        _ = shell.run("add-generic-password", "-U", "-a", "ada", "-s", "example", "-X", hex)
        #expect(shell.run("find-generic-password", "-g").errors == "password: \(shown)\n")
    }

    @Test(
        "-w writes a text and a line end, anything else byte for byte; it wins over -g", .rule("command.find.password"))
    func onlyPassword() {
        #expect(shell.run("find-generic-password", "-s", "example", "-w") == .init(0, "sesame\n"))
        #expect(shell.run("find-generic-password", "-gw") == .init(0, "sesame\n"))
        _ = shell.run("add-generic-password", "-U", "-a", "ada", "-s", "example", "-X", "61c3a90a")
        #expect(shell.run("find-generic-password", "-w") == .init(0, "aé\n\n"))
        _ = shell.run("add-generic-password", "-U", "-a", "ada", "-s", "example", "-X", "00ff")
        #expect(shell.run("find-generic-password", "-w") == .init(0, bytes: [0x00, 0xFF]))
    }

    @Test("-w asks for the value alone, in one round trip")
    func roundTrips() {
        shell.keychain.update { $0.requests = [] }
        _ = shell.run("find-generic-password", "-s", "example", "-w")
        let (requests, devices) = shell.keychain.update { ($0.requests, $0.devices) }
        #expect(requests.count == 1)
        #expect(requests.first?.returns == [.data])
        #expect(requests.first?.limit == .one)
        #expect(devices.isEmpty)
    }

    @Test("--json shows the attributes by their keys, and the password where it is asked for")
    func json() {
        let attributes = #"""
            {"acct":"ada","agrp":"program:/usr/bin/security","cdat":"2019-01-02T03:04:05.678Z","labl":"example",\#
            "mdat":"2019-01-02T03:04:05.678Z","svce":"example"}
            """#
        let item =
            #""keychain":"/home/ada/keychain/keychain.db","class":"genp","unsigned":true,"attributes":\#(attributes)"#
        #expect(shell.run("--json", "find-generic-password") == .init(0, "{\(item)}\n"))
        #expect(
            shell.run("find-generic-password", "-g", "--json") == .init(0, "{\(item),\"password\":\"sesame\"}\n"))
        #expect(shell.run("find-generic-password", "-w", "--json") == .init(0, "{\"password\":\"sesame\"}\n"))
    }

    @Test(
        "in --json a password is a string, or base64 when it is not UTF-8",
        arguments: [
            ("", "\"\""), ("22", "\"\\\"\""), ("5c", "\"\\\\\""), ("0a09", "\"\\n\\t\""),
            ("1b7f", "\"\\u001b\\u007f\""),
            ("c3a9", "\"é\""), ("c29bc2a0c3a9", "\"\\u009b\\u00a0é\""), ("ff", "{\"base64\":\"/w==\"}"),
            ("ffff", "{\"base64\":\"//8=\"}"),
            ("ffffff", "{\"base64\":\"////\"}"), ("fffffffe", "{\"base64\":\"/////g==\"}"),
        ])
    func jsonPassword(hex: String, json: String) {
        _ = shell.run("add-generic-password", "-U", "-a", "ada", "-s", "example", "-X", hex)
        #expect(shell.run("find-generic-password", "-w", "--json") == .init(0, "{\"password\":\(json)}\n"))
    }

    @Test(
        "each criterion is looked for",
        arguments: [
            ("a", "acct", "x"), ("c", "crtr", "abcd"), ("C", "type", "abcd"), ("D", "desc", "x"), ("G", "gena", "x"),
            ("j", "icmt", "x"), ("l", "labl", "x"), ("s", "svce", "x"),
        ])
    func genericCriteria(letter: String, code: String, value: String) throws {
        #expect(shell.run("find-generic-password", "-\(letter)", value).status == -25300)
        let query = try #require(shell.keychain.update { $0.requests.last }).query
        let attribute = try #require(AttributeTable.attribute(code: code))
        #expect(query.entries.map(\.id).sorted() == [attribute.id, .synchronizable].sorted())
        #expect(
            query.entry(attribute.id)?.kind == (letter == "G" ? .data : letter.lowercased() == "c" ? .number : .string))
    }

    @Test(
        "each criterion of an internet password is looked for",
        arguments: [
            ("a", "acct", "x"), ("c", "crtr", "abcd"), ("C", "type", "abcd"), ("d", "sdmn", "x"), ("D", "desc", "x"),
            ("j", "icmt", "x"), ("l", "labl", "x"), ("p", "path", "x"), ("P", "port", "8"), ("r", "ptcl", "abcd"),
            ("s", "srvr", "x"), ("t", "atyp", "abcd"),
        ])
    func internetCriteria(letter: String, code: String, value: String) throws {
        #expect(shell.run("find-internet-password", "-\(letter)", value).status == -25300)
        let query = try #require(shell.keychain.update { $0.requests.last }).query
        let attribute = try #require(AttributeTable.attribute(code: code))
        #expect(query.entries.map(\.id).sorted() == [attribute.id, .synchronizable].sorted())
    }

    @Test("with account and service given, other criteria are left out", .rule("command.find.criteria"))
    func identified() {
        #expect(shell.run("find-generic-password", "-a", "ada", "-s", "example", "-l", "other").status == 0)
        #expect(shell.run("find-generic-password", "-a", "ada", "-l", "other").status == -25300)
    }

    @Test("nothing found is exit status 44 and macOS's line", .rule("command.find.not-found"))
    func notFound() {
        let line = "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n"
        #expect(shell.run("find-generic-password", "-s", "x") == .init(-25300, errors: line))
        #expect(shell.run("find-internet-password", "-s", "x", "-w") == .init(-25300, errors: line))
        #expect(UInt8(truncatingIfNeeded: -25300) == 44)
    }

    @Test("synchronised items are found with the others")
    func synchronised() {
        shell.keychain.update { $0.items[0].attributes[.synchronizable] = .number(1) }
        #expect(shell.run("find-generic-password", "-s", "example", "-w") == .init(0, "sesame\n"))
    }

    @Test(
        "the one keychain has the names scripts know it by",
        arguments: [
            "login.keychain", "login.keychain-db", "/Users/ada/Library/Keychains/login.keychain-db",
            "/home/ada/keychain/keychain.db",
        ])
    func keychainNames(name: String) {
        #expect(shell.run("find-generic-password", "-w", name) == .init(0, "sesame\n"))
        #expect(shell.run("find-generic-password", "-w", name, name) == .init(0, "sesame\n"))
    }

    @Test(
        "another keychain does not exist: exit status 50",
        arguments: ["other", "other.keychain", "/tmp/login.keychain", "", "/home/ada/keychain"])
    func otherKeychains(name: String) {
        let outcome = shell.run("find-generic-password", "-w", name)
        #expect(
            outcome
                == .init(
                    -25294, errors: "security: SecKeychainSearchCopyNext: The specified keychain could not be found.\n")
        )
        #expect(UInt8(truncatingIfNeeded: outcome.status) == 50)
    }
}

@Suite("delete-…-password") struct DeletePasswordTests {
    let shell = Shell()

    init() {
        for service in ["example", "other"] {
            _ = shell.run("add-generic-password", "-a", "ada", "-s", service, "-w", "sesame")
        }
    }

    private var services: [String?] { shell.keychain.update { $0.items.map { $0.attributes[.service]?.string } } }

    @Test("the item is shown, then deleted, and stderr says so")
    func delete() {
        #expect(
            shell.run("delete-generic-password", "-s", "example")
                == .init(0, genericDump(), errors: "password has been deleted.\n"))
        #expect(services == ["other"])
    }

    @Test("of several matches only the first is deleted, as on macOS", .rule("command.delete.first"))
    func onlyOne() {
        #expect(shell.run("delete-generic-password", "-a", "ada").status == 0)
        #expect(services == ["other"])
    }

    @Test("without a criterion the usage is shown and nothing deleted", .rule("command.delete.first"))
    func nothingGiven() {
        let outcome = shell.run("delete-generic-password")
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("Usage: delete-generic-password [-a account] [-s service]"))
        #expect(shell.run("delete-internet-password", "login.keychain").status == 2)
        #expect(services.count == 2)
    }

    @Test("nothing found is exit status 44")
    func notFound() {
        let line = "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\n"
        #expect(shell.run("delete-generic-password", "-s", "x") == .init(-25300, errors: line))
        #expect(shell.run("delete-internet-password", "-s", "example") == .init(-25300, errors: line))
    }

    @Test("--json shows what was deleted, and stderr is silent")
    func json() {
        let outcome = shell.run("delete-generic-password", "-s", "example", "--json")
        #expect(outcome.status == 0)
        #expect(
            outcome.text.hasPrefix(
                #"{"keychain":"/home/ada/keychain/keychain.db","class":"genp","unsigned":true,"#
                    + #""attributes":{"acct":"ada""#
            ))
        #expect(outcome.errors == "")
        #expect(services == ["other"])
    }

    @Test("internet passwords are deleted by their own command")
    func internet() {
        _ = shell.run("add-internet-password", "-a", "ada", "-s", "example.org")
        #expect(shell.run("delete-internet-password", "-s", "example.org").errors == "password has been deleted.\n")
        #expect(services == ["example", "other"])
    }
}
