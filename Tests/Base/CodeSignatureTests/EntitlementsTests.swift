import KeychainModel
import PropertyLists
import TestSupport
import Testing

@testable import CodeSignature

@Suite("Entitlements in Apple's format")
struct EntitlementsTests {
    private let team: TeamID

    init() throws { team = try Team().id }

    private func groups(_ content: String) throws(Refusal) -> [String] {
        try Entitlements(plist: Plist.text(content), team: team, identifier: "com.example.app").groups
    }

    /// Why entitlements are refused; nil when they are not.
    private func refusal(_ plist: [UInt8]) -> Refusal.Rule? {
        failure { () throws(Refusal) in try Entitlements(plist: plist, team: team, identifier: "com.example.app") }?
            .rule
    }

    @Test(
        "the groups come in the order that the keychain reads them, each once, the tokens' last",
        .rule("access-groups.list.order"))
    func order() throws {
        let content = """
            <key>com.apple.security.application-groups</key>
            <array><string>$(TeamIdentifierPrefix)suite</string><string>$(AppIdentifierPrefix)one</string></array>
            <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.app</string>
            <key>com.apple.developer.associated-application-identifier</key>
            <array><string>$(AppIdentifierPrefix)old</string></array>
            <!-- first in the list, last in the file -->
            <key>keychain-access-groups</key>
            <array><string>com.apple.token</string><string>$(AppIdentifierPrefix)one</string>
            <string>\(team.text).two</string></array>
            <key>com.apple.security.app-sandbox</key><true/>
            """
        let names = ["one", "two", "old", "com.example.app", "suite"].map { "\(team.text).\($0)" }
        #expect(try groups(content) == names + ["com.apple.token"])
    }

    @Test(
        "AppIdentifierPrefix and the bundle's identifier are put where Xcode would put them",
        .rule("access-groups.entitlements.prefix"))
    func placeholders() throws {
        let array = Plist.array(["$(AppIdentifierPrefix)$(CFBundleIdentifier)", "$(DEVELOPMENT_TEAM).shared"])
        let names = ["com.example.app", "shared"].map { "\(team.text).\($0)" }
        #expect(try groups("<key>keychain-access-groups</key>\(array)") == names)
        #expect(refusal(Plist.text("<key>a</key><string>$(SRCROOT)/x</string>")) == .placeholder)
        let alone = failure { () throws(Refusal) in
            try Entitlements(
                plist: Plist.text("<key>application-identifier</key><string>$(AppIdentifierPrefix)x</string>"))
        }
        #expect(alone?.rule == .placeholder)
    }

    @Test(
        "a group of another team, of no team, and every group at once are refused", .rule("access-groups.team.prefix"))
    func foreignGroups() throws {
        let other = try Team().id.text
        let names = [
            "\(other).com.example.shared", "com.example.shared", "group.com.example.shared", team.text, "\(team.text).",
            "\(team.text)X.shared", team.text.lowercased() + ".shared", " \(team.text).x", "program:/usr/bin/x",
        ]
        for name in names {
            for key in ["keychain-access-groups", "com.apple.security.application-groups"] {
                let rule = refusal(Plist.text("<key>\(key)</key>\(Plist.array([name]))"))
                #expect(rule == .foreignPrefix || rule == .malformedEntitlements, "\(name)")
            }
            #expect(refusal(Plist.text("<key>application-identifier</key><string>\(name)</string>")) != nil)
        }
        for name in [
            "*", "", "\(team.text).a b", "\(team.text).a\u{202E}b",
            "\(team.text)." + String(repeating: "x", count: 600),
        ] {
            #expect(
                refusal(Plist.text("<key>keychain-access-groups</key>\(Plist.array([name]))")) == .malformedEntitlements
            )
        }
        #expect(
            refusal(Plist.text("<key>com.apple.developer.team-identifier</key><string>\(other)</string>"))
                == .foreignPrefix)
    }

    @Test(
        "signing with a group of another team is refused, and so is a file that was signed with one nevertheless",
        .rule("access-groups.team.prefix"))
    func foreignGroupInFile() throws {
        let (own, other) = (try Team(), try Team())
        #expect(throws: Refusal.self) { try own.sign(Executables.bytes(), groups: ["\(other.id.text).shared"]) }
        var signing = try CodeSigning(identifier: "app", signer: own.key, chain: own.chain)
        signing.plist = Plist.text("<key>keychain-access-groups</key>\(Plist.array(["\(other.id.text).shared"]))")
        let bytes = try Executables.bytes()
        let refused = failure { try signing.sign(bytes) } as? Refusal
        #expect(refused?.rule == .foreignPrefix)
    }

    @Test("An application identifier that is left out is the Team ID and the identifier of the signature")
    func applicationIdentifier() throws {
        let empty = try Entitlements(plist: [], team: team, identifier: "tool")
        #expect(empty.applicationIdentifier == "\(team.text).tool")
        #expect(empty.groups == ["\(team.text).tool"])
        #expect(empty.value("com.apple.developer.team-identifier") == .string(team.text))
        let mac = Plist.text("<key>com.apple.application-identifier</key><string>$(AppIdentifierPrefix)mac</string>")
        let entitlements = try Entitlements(plist: mac, team: team, identifier: "tool")
        #expect(entitlements.applicationIdentifier == "\(team.text).mac")
        #expect(entitlements.groups == ["\(team.text).mac"])
    }

    @Test("What root installs needs no team, has no derived identifier, and may demand an anchor")
    func installed() throws {
        let content = """
            <key>keychain-access-groups</key><array><string>com.example.backup</string></array>
            <key>keychain-requires-anchor</key><true/><key>keychain-executable</key><string>/usr/bin/backup</string>
            """
        let entitlements = try Entitlements(plist: Plist.text(content))
        #expect(entitlements.groups == ["com.example.backup"])
        #expect(entitlements.applicationIdentifier == nil)
        #expect(entitlements.requiresAnchor)
        #expect(entitlements.value("keychain-executable") == .string("/usr/bin/backup"))
        #expect(
            failure { () throws(Refusal) in
                try Entitlements(
                    plist: Plist.text("<key>keychain-access-groups</key><array><string>*</string></array>"))
            } != nil)
    }

    @Test("Text is read back as it was written, whatever combines with its marks")
    func combiningMarks() throws {
        let text = "a&\u{301}b<\u{301}c>\u{301}&amp;\u{20DD}"
        let written = PropertyList.dictionary([.init(key: text, value: .string(text))])
        #expect(try PropertyList(xml: Array(written.document.utf8)) == written)
    }

    @Test("Values of all types are read as they are written")
    func types() throws {
        let content = """
            <key>text</key><string>a &amp; b &#x20AC;<![CDATA[<c>]]></string><key>no</key><false/>
            <key>number</key><integer>-12</integer><key>real</key><real>1.5</real>
            <key>date</key><date>2026-01-01T00:00:00Z</date><key>data</key><data>AAEC
            Aw==</data><key>list</key><array><dict><key>k</key><array/></dict></array>
            """
        let entitlements = try Entitlements(plist: Plist.text(content))
        #expect(entitlements.value("text") == .string("a & b €<c>"))
        #expect(entitlements.value("no") == .boolean(false))
        #expect(entitlements.value("number") == .integer(-12))
        #expect(entitlements.value("real") == .real(1.5))
        #expect(entitlements.value("data") == .data([0, 1, 2, 3]))
        #expect(entitlements.value("list") == .array([.dictionary([.init(key: "k", value: .array([]))])]))
    }

    @Test("Documents that grow, that two readers read differently, or that are none are refused", arguments: hostile)
    func hostileDocuments(document: String) {
        #expect(refusal(Array(document.utf8)) == .malformedEntitlements)
    }

    private static let laughs = """
        <?xml version="1.0"?><!DOCTYPE plist [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
        <plist version="1.0"><dict><key>k</key><string>&b;</string></dict></plist>
        """
    private static let external = """
        <!DOCTYPE plist SYSTEM "file:///etc/passwd"><plist><dict><key>k</key><string>&x;</string></dict></plist>
        """
    private static let hostile: [String] = [
        laughs, external, " ", "<plist/>", "<plist></plist>", "<dict/>", "<plist><array/></plist>",
        "<plist><string>x</string></plist>", "<plist><dict/><dict/></plist>", "<plist><dict></plist>",
        "<plist><dict/></plist><plist/>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><dict><string>a</string></dict></plist>", "<plist><dict><key>a</key><key>b</key><true/></dict></plist>",
        "<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>", "<plist><key>a</key></plist>",
        "<plist><dict><key>a</key><string><true/></string></dict></plist>",
        "<plist><dict>text</dict></plist>", "<plist><dict><key>a</key><true>x</true></dict></plist>",
        "<plist><dict><key>a</key><integer>0x</integer></dict></plist>",
        "<plist><dict><key>a</key><data>A</data></dict></plist>", "<plist><dict><key>a</key><set/></dict></plist>",
        "<plist><dict x='1'/></plist>", "<?xml version='1.0' encoding='ISO-8859-1'?><plist><dict/></plist>",
        "<plist><dict><key>keychain-access-groups</key><array><integer>1</integer></array></dict></plist>",
        "<plist><dict><key>keychain-access-groups</key><dict/></dict></plist>",
        "<plist><dict><key>keychain-requires-anchor</key><string>YES</string></dict></plist>",
        "<plist><dict><key>application-identifier</key><true/></dict></plist>", "bplist00",
        "<plist>" + String(repeating: "<array>", count: 17) + String(repeating: "</array>", count: 17) + "</plist>",
        "<plist><dict>" + String(repeating: "<key>a</key><true/>", count: 4000) + "</dict></plist>",
        "<plist><dict>" + String(repeating: " ", count: 65536) + "</dict></plist>",
        "<plist><dict><key>keychain-access-groups</key><array>"
            + (0..<200).map { "<string>g.\($0)</string>" }.joined() + "</array></dict></plist>",
    ]

    @Test("UTF-16, bytes that are no text, and zeros are refused; a byte order mark of UTF-8 is not")
    func encodings() throws {
        let text = String(decoding: Plist.text(""), as: UTF8.self)
        let wide = text.replacing("UTF-8", with: "UTF-16").utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(refusal([0xFF, 0xFE] + wide) == .malformedEntitlements)
        #expect(refusal(wide) == .malformedEntitlements)
        #expect(refusal(Plist.text("<key>\u{0}</key><true/>")) == .malformedEntitlements)
        var broken = Plist.text("<key>abc</key><true/>")
        broken[try #require(broken.firstRange(of: Array("abc".utf8))).lowerBound] = 0xC3
        #expect(refusal(broken) == .malformedEntitlements)
        #expect(refusal([0xEF, 0xBB, 0xBF] + Plist.text("")) == nil)
    }
}
