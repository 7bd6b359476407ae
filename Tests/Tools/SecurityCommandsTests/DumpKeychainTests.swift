import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("dump-keychain") struct DumpKeychainTests {
    let shell = Shell()
    private let foreignGroup = "program:/usr/bin/other"

    init() {
        _ = shell.run("add-generic-password", "-a", "ada", "-s", "example", "-w", "sesame")
        shell.keychain.update { [foreignGroup] state in
            var foreign = state.items[0]
            foreign.attributes[.service] = .string("foreign")
            foreign.attributes[.accessGroup] = .string(foreignGroup)
            foreign.attributes[.accessible] = .string("aku")
            state.items.append(
                .init(
                    itemClass: .genericPassword, attributes: foreign.attributes, value: [1], uuid: (16..<32).map { $0 })
            )
        }
    }

    @Test("all programs' items are shown, and only their attributes are asked for", .rule("command.dump.fields"))
    func all() {
        shell.keychain.update { $0.requests = [] }
        let expected = genericDump() + genericDump(service: "\"foreign\"")
        #expect(shell.run("dump-keychain") == .init(0, expected))
        let requests = shell.keychain.update { $0.requests }
        #expect(requests.map(\.itemClass) == [.genericPassword, .internetPassword, .certificate, .key])
        #expect(requests.allSatisfy { $0.inspectsAllGroups && $0.returns == [.attributes] && $0.limit == .all })
    }

    @Test("a long list comes in pages", arguments: 1...3)
    func pages(size: Int) {
        shell.keychain.update { $0.pageSize = size }
        #expect(shell.run("dump-keychain").text == genericDump() + genericDump(service: "\"foreign\""))
    }

    @Test("-d shows the command's own values, and whose the others are")
    func values() {
        #expect(
            shell.run("dump-keychain", "-d")
                == .init(
                    0,
                    genericDump() + "data:\n\"sesame\"\n" + genericDump(service: "\"foreign\"")
                        + "data:\n<only for programs of the access group \"program:/usr/bin/other\">\n"))
    }

    @Test("no request for values inspects other groups")
    func inspection() {
        _ = shell.run("dump-keychain", "-d")
        let requests = shell.keychain.update { $0.requests }
        #expect(requests.contains { $0.returns.contains(.data) })
        #expect(!requests.contains { $0.returns.contains(.data) && $0.inspectsAllGroups })
    }

    @Test("-a shows the access group and the protection class in the layout of access control lists")
    func access() {
        let expected = """
            access: 1 entries
                entry 0:
                    authorizations (1): any
                    don't-require-password
                    description: example
                    protection: aku (while unlocked, this device only)
                    unsigned: the group is an executable's path
                    applications (1):
                        0: program:/usr/bin/other (unsigned)

            """
        #expect(shell.run("dump-keychain", "-a").text.hasSuffix(genericDump(service: "\"foreign\"") + expected))
    }

    @Test("-r says that it shows nothing, where it is not a script that reads it")
    func raw() {
        let plain = shell.run("dump-keychain")
        #expect(shell.run("dump-keychain", "-r") == plain)
        let line = "security: -r shows nothing: encrypted bytes are not handed out.\n"
        #expect(shell.run("-v", "dump-keychain", "-r").errors.hasSuffix(line))
    }

    @Test("--json is an array with an item on each line; values only of the command's own")
    func json() {
        let lines = shell.run("dump-keychain", "-d", "--json").text.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.first == "[" && lines.last == "]")
        #expect(lines[1].hasSuffix(#""svce":"example"},"data":"sesame"},"#))
        #expect(lines.dropFirst().prefix(2).allSatisfy { $0.contains(#""class":"genp","unsigned":true,"#) })
        #expect(lines[2].hasSuffix(#""pdmn":"aku","svce":"foreign"}}"#))
    }

    @Test("an empty keychain is an empty dump, and an empty array")
    func empty() {
        shell.keychain.update { $0.items = [] }
        #expect(shell.run("dump-keychain") == .init(0))
        #expect(shell.run("dump-keychain", "--json") == .init(0, "[]\n"))
    }

    @Test("a locked keychain is a refusal, not an empty dump")
    func locked() {
        shell.keychain.update { state in
            state.passcode = [1]
            state.isLocked = true
        }
        #expect(
            shell.run("dump-keychain")
                == .init(-25308, errors: "security: SecKeychainSearchCopyNext: User interaction is not allowed.\n"))
    }

    @Test("a certificate is shown with macOS's class and names", .rule("command.dump.certificates"))
    func certificate() {
        shell.keychain.update {
            $0.items = [
                .init(
                    itemClass: .certificate,
                    attributes: [
                        .label: .string("Root"), .certificateType: .number(3), .certificateEncoding: .number(3),
                        .issuer: .data([0x30, 0x82]), .serialNumber: .data([1]), .publicKeyHash: .data([0xAA]),
                        .creationDate: .date(0), .accessible: .string("dk"),
                    ], value: nil, uuid: Array(repeating: 0, count: 16))
            ]
        }
        let expected = """
            keychain: "/home/ada/keychain/keychain.db"
            version: 512
            class: 0x80001000 \("")
            attributes:
                "alis"<blob>=<NULL>
                "cenc"<uint32>=0x00000003 \("")
                "ctyp"<uint32>=0x00000003 \("")
                "hpky"<blob>=0xAA \("")
                "issu"<blob>=0x3082  "0\\202"
                "labl"<blob>="Root"
                "skid"<blob>=<NULL>
                "snbr"<blob>=0x01 \("")
                "subj"<blob>=<NULL>

            """
        #expect(shell.run("dump-keychain") == .init(0, expected))
    }

    @Test(
        "a key is shown with macOS's class and numbered attributes", .rule("command.dump.certificates"),
        arguments: [(0, "0x0000000F "), (1, "0x00000010 "), (2, "0x00000011 ")] as [(Int64, String)])
    func key(keyClass: Int64, record: String) {
        shell.keychain.update {
            $0.items = [
                .init(
                    itemClass: .key,
                    attributes: [
                        .keyClass: .number(keyClass), .label: .string("key"), .applicationLabel: .data([0xFF]),
                        .applicationTag: .string("tag"), .type: .number(42), .keySizeInBits: .number(2048),
                        .isPermanent: .number(1), .canUnwrap: .number(0), .startDate: .date(.nan),
                    ], value: nil, uuid: Array(repeating: 0, count: 16))
            ]
        }
        let lines = shell.run("dump-keychain").text.split(separator: "\n").map(String.init)
        #expect(lines[2] == "class: \(record)")
        #expect(
            lines[4...] == [
                "    0x00000000 <uint32>=\(record)", "    0x00000001 <blob>=\"key\"", "    0x00000002 <blob>=<NULL>",
                "    0x00000003 <uint32>=0x00000001 ", "    0x00000004 <uint32>=<NULL>",
                "    0x00000005 <uint32>=<NULL>",
                "    0x00000006 <blob>=0xFF ", "    0x00000007 <blob>=\"tag\"", "    0x00000008 <uint32>=<NULL>",
                "    0x00000009 <uint32>=0x0000002A  \"\\000\\000\\000*\"", "    0x0000000A <uint32>=0x00000800 ",
                "    0x0000000B <uint32>=<NULL>",
                "    0x0000000C <timedate>=0x32303031303130313030303030305A00  \"20010101000000Z\\000\"",
                "    0x0000000D <timedate>=<NULL>", "    0x0000000E <uint32>=<NULL>", "    0x0000000F <uint32>=<NULL>",
                "    0x00000010 <uint32>=<NULL>", "    0x00000011 <uint32>=<NULL>", "    0x00000012 <uint32>=<NULL>",
                "    0x00000013 <uint32>=<NULL>", "    0x00000014 <uint32>=<NULL>", "    0x00000015 <uint32>=<NULL>",
                "    0x00000016 <uint32>=<NULL>", "    0x00000017 <uint32>=<NULL>", "    0x00000018 <uint32>=<NULL>",
                "    0x00000019 <uint32>=<NULL>", "    0x0000001A <uint32>=0x00000000 ",
            ])
    }

    @Test(
        "any date is a calendar date",
        arguments: [
            (0, "20010101000000"), (-1, "20001231235959"), (5_097_600, "20010301000000"),
            (97_372_800, "20040202000000"),
            (99_705_600, "20040229000000"), (-31_708_800, "19991231000000"), (-62_208_000_000, "00290916000000"),
            (1e300, "99991231235959"),
            (-.infinity, "00010101000000"), (.nan, "20010101000000"),
        ] as [(Double, String)])
    func dates(seconds: Double, shown: String) {
        shell.keychain.update { $0.items[0].attributes[.creationDate] = .date(seconds) }
        #expect(shell.run("dump-keychain").text.contains("\"\(shown)Z\\000\""))
    }
}
