import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("JSON of other programs")
struct JSONPartTests {
    private static let text = #"""
        {"a": [{"p":"\u00e9\ud83d\ude00\n","n":null, "k":12,"t":true},[],""],"a2":{"x":"1","x":"2"}}
        """#

    private func part(_ text: String) throws -> JSONPart { try JSONPart(SecretBytes(copying: Array(text.utf8).span)) }

    @Test("Members, elements, strings, numbers and words are found where they lie")
    func values() throws {
        let root = try part(Self.text)
        let elements = try #require(root.member("a")?.elements)
        #expect(elements.count == 3 && elements[1].elements?.isEmpty == true && elements[2].isFilled == false)
        let first = elements[0]
        #expect(
            first.member("p")?.string == "\u{e9}\u{1F600}\n" && first.member("k")?.number == 12
                && first.member("t")?.isTrue == true)
        #expect(first.member("n") == nil && first.member("none") == nil && first.member("k")?.secret == nil)
        #expect(root.member("a2")?.member("x")?.string == "2")
    }

    @Test("A text that is cut anywhere, or is no single object, is refused")
    func cut() {
        let bytes = Array(Self.text.utf8)
        for count in 0..<bytes.count {
            #expect(throws: CommandFailure.self) { try JSONPart(SecretBytes(copying: Array(bytes[..<count]).span)) }
        }
        for text in ["[]", "{}{}", "{\"a\":1,}", "{\"a\":\"\\ud800\"}", "{\"a\":01}", "\u{FEFF}{}", "{\"a\":\"\n\"}"] {
            #expect(throws: CommandFailure.self) { try part(text) }
        }
        let bytesOfNoText = Array("{\"a\":\"".utf8) + [0xFF, 0x22, 0x7D]
        #expect(throws: CommandFailure.self) { try JSONPart(SecretBytes(copying: bytesOfNoText.span)) }
    }

    @Test("A text of values within values is refused before the stack ends")
    func deep() {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
            let text = String(repeating: opening, count: 100_000) + "1" + String(repeating: closing, count: 100_000)
            #expect(throws: CommandFailure.self) { try part("{\"a\":\(text)}") }
        }
    }
}
