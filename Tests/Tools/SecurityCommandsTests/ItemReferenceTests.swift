import KeychainModel
import Testing

@testable import SecurityCommands

@Suite("Item references") struct ItemReferenceTests {
    private func problem(_ text: String) -> String? {
        do throws(ItemReference.Malformed) {
            _ = try ItemReference(text)
            return nil
        } catch { return error.problem }
    }

    @Test("A service, an account and a field are read, percent-encoded or not")
    func reads() throws {
        let plain = try ItemReference("kc://deploy/ci#comment")
        #expect((plain.service, plain.account, plain.field) == ("deploy", "ci", .comment))
        #expect(plain.itemClass == .genericPassword)
        let encoded = try ItemReference("kc://%E9%83%A8%E9%97%A8/a%2Fb%20c")
        #expect((encoded.service, encoded.account, encoded.field) == ("部门", "a/b c", .password))
        let raw = try ItemReference("kc://部门")
        #expect((raw.service, raw.account) == ("部门", nil))
    }

    @Test("A server has a class and may have a port")
    func readsServers() throws {
        let server = try ItemReference("kc://git.example/ann?class=inet&server-port=8443#account")
        #expect((server.service, server.port, server.field) == ("git.example", 8443, .account))
        #expect(server.itemClass == .internetPassword)
    }

    @Test(
        "A reference that was read has a text that means the same",
        arguments: [
            "kc://a", "kc://a/b#label", "kc://a/b?class=inet&server-port=1", "kc://%25%2F%23/%3F", "kc://部门/张三",
        ])
    func roundTrip(text: String) throws {
        let reference = try ItemReference(text)
        #expect(try ItemReference(reference.text) == reference)
    }

    @Test("Two spellings of a letter are two references")
    func spellings() throws {
        let texts = ["kc://caf\u{E9}/a", "kc://cafe\u{301}/a", "kc://caf%C3%A9/a"]
        let references = try texts.map { try ItemReference($0) }
        #expect(Set(references).count == 2 && references[0] == references[2])
    }

    @Test(
        "Everything else is refused, and the refusal does not contain it",
        arguments: [
            "", "kc:/a", "KC://a", "kc://", "kc:///b", "kc://a/", "kc://a/b/c", "kc://a#", "kc://a#secret", "kc://a b",
            "kc://a%2", "kc://a%zz", "kc://a%00", "kc://a%FF", "kc://a?", "kc://a?class", "kc://a?class=cert",
            "kc://a?class=inet&class=inet", "kc://a?server-port=1", "kc://a?class=inet&server-port=0",
            "kc://a?class=inet&server-port=65536", "kc://a?class=inet&server-port=+1", "kc://a?other=1", "kc://a|b",
            "kc://a{b}", "kc://a\nb", "kc://" + String(repeating: "a", count: 4096),
        ])
    func refuses(text: String) {
        let problem = problem(text)
        #expect(problem != nil)
        if text.utf8.count > 8 { #expect(problem?.contains(text) == false) }
    }

    @Test("A keychain's name is refused by name")
    func refusesKeychains() {
        #expect(problem("kc://a?kc=work")?.contains("kc=") == true)
    }
}
