import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

struct AssuanTests {
    private static func line(_ text: String) -> AssuanLine? { AssuanLine(SecretBytes(copying: Array(text.utf8).span)) }

    private static func shown(_ line: AssuanLine?) -> String {
        switch line {
        case nil: "none"
        case .ok: "ok"
        case .error(let number): "error \(number)"
        case .data(let data): "data " + data.withSpan { $0.text(0, $0.count) ?? "?" }
        case .status(let name): "status \(name)"
        case .comment: "comment"
        }
    }

    @Test(
        "a line is what the protocol says, and anything else breaks it",
        arguments: [
            ("OK", "ok"), ("OK Pleased to meet you", "ok"), ("ERR 83886179 canceled <Pinentry>", "error 99"),
            ("ERR 83886194 x", "error 114"), ("ERR 62", "error 62"), ("ERR", "none"), ("ERR x", "none"),
            ("ERR 99999999999", "none"), ("D secret 1%252", "data secret 1%2"), ("D ", "data "), ("D", "data "),
            ("D a%", "none"), ("D a%2", "none"), ("D a%zz", "none"), ("D %0a%0D", "data \n\r"),
            ("S PIN_REPEATED", "status PIN_REPEATED"), ("# hello", "comment"), ("", "comment"), ("INQUIRE x", "none"),
            ("OKAY", "none"), ("Data", "none"), ("<html>", "none"), ("BYE", "none"),
        ])
    func lines(_ text: String, _ expected: String) { #expect(Self.shown(Self.line(text)) == expected) }

    @Test("a line that is too long breaks the protocol")
    func long() {
        #expect(Self.shown(Self.line("D " + String(repeating: "a", count: 998))).count == 1003)
        #expect(Self.line("D " + String(repeating: "a", count: 999)) == nil)
    }

    @Test("what would end or change a line is encoded, and read back the same")
    func encoding() {
        #expect(AssuanLine.encoded("a%b\nc\rd\u{0}é") == Array("a%25b%0Ac%0Dd%00é".utf8))
        let all = String(String.UnicodeScalarView((0..<256).compactMap(Unicode.Scalar.init)))
        let encoded = String(decoding: AssuanLine.encoded(all), as: UTF8.self)
        #expect(Self.shown(Self.line("D " + encoded)) == "data " + all)
    }

    @Test("any bytes are a line or none")
    func anything() {
        var (random, read) = (SplitMix64(seed: 3), 0)
        for start in ["OK x", "ERR 123 y", "D a%20b%%41", "S P q", "#"] {
            for _ in 0..<2000 where AssuanLine(SecretBytes(copying: random.mutate(Array(start.utf8)).span)) != nil {
                read += 1
            }
        }
        #expect((1..<10_000).contains(read))
    }
}
