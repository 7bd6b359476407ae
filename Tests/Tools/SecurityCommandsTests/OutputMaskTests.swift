import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("Masking of output") struct OutputMaskTests {
    private static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    /// The text as it is shown when it comes in pieces of so many bytes.
    private func shown(_ text: String, of secrets: [(String, String)], pieces: Int = .max) -> String {
        let mask = OutputMask(secrets.flatMap { SecretForms.all(of: Self.secret($0.1), named: $0.0) })
        let (bytes, buffer) = (Array(text.utf8), SecretBuffer())
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            mask.add(Array(bytes[start..<min(bytes.count, start + min(pieces, bytes.count))]).span, to: buffer)
        }
        mask.release(to: buffer)
        return buffer.finish().withSpan { $0.text(0, $0.count) ?? "" }
    }

    @Test("A secret is found wherever the stream is cut", arguments: [1, 2, 3, 5, 7, 64])
    func findsAcrossPieces(pieces: Int) {
        let text = "a s3cret-value b s3cret-valu c s3cret-value"
        #expect(shown(text, of: [("A", "s3cret-value")], pieces: pieces) == "a [masked:A] b s3cret-valu c [masked:A]")
    }

    @Test("Of two secrets that begin alike the longer one is meant, and the shorter one is found alone")
    func prefersLonger() {
        let secrets = [("P", "secret1"), ("Q", "secret1-longer")]
        #expect(shown("secret1 secret1-longer secret1-x", of: secrets) == "[masked:P] [masked:Q] [masked:P]-x")
        #expect(shown("secret1-longesecret1", of: secrets, pieces: 1) == "[masked:P]-longe[masked:P]")
    }

    @Test("A secret that begins within the beginning of another is found")
    func overlaps() {
        #expect(shown("abcdefabcdefgh", of: [("A", "abcdefabcdefgX"), ("B", "defabc")]) == "abc[masked:B]defgh")
    }

    @Test("Base64 and hexadecimal are masked with line ends in any place", arguments: [1, 4, 13, 76], ["\n", "\r\n"])
    func masksBroken(width: Int, end: String) {
        let secret = "K+/?a" + String(repeating: "xyz~9", count: 30)
        // base64 of the secret, made without the code under test.
        let hex = secret.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        let lines = stride(from: 0, to: hex.count, by: width).map { String(hex.dropFirst($0).prefix(width)) }
        #expect(shown("<" + lines.joined(separator: end) + ">", of: [("K", secret)], pieces: 11) == "<[masked:K]>")
        let short = "aGVsbG8gd29ybGQh"
        let parts = stride(from: 0, to: short.count, by: width).map { String(short.dropFirst($0).prefix(width)) }
        #expect(shown(parts.joined(separator: end) + "|", of: [("H", "hello world!")]) == "[masked:H]|")
    }

    @Test("Empty lines within a text that looks like base64 hold nothing back for ever")
    func breaksAreLimited() {
        let mask = OutputMask(SecretForms.all(of: Self.secret("hello world!"), named: "H"))
        let buffer = SecretBuffer()
        mask.add(Array("aGVs\n\n\n\n\n\n".utf8).span, to: buffer)
        #expect(!mask.isHolding)
    }

    @Test("Each longer line of a secret is masked, indented or alone, and short lines are not")
    func masksLines() {
        let secret = "line one is here\nline two is there\nend\n"
        let text = "  line one is here\n  line two is there\n  end\nline two is there\r\n"
        #expect(shown(text, of: [("T", secret)]) == "  [masked:T]\n  [masked:T]\n  end\n[masked:T]\r\n")
        #expect(shown(secret, of: [("T", secret)]) == "[masked:T]\n")
        #expect(shown("line one is here\r\nline two is there\r\nend", of: [("T", secret)]) == "[masked:T]")
    }

    @Test("Escaped forms are masked, and a value of fewer than six bytes has no form")
    func masksEscaped() {
        let secrets = [("J", "a\"b\\c d/é")]
        for text in [#"a\"b\\c d/é"#, #"a\"b\\c d/\u00e9"#, "a%22b%5Cc%20d%2F%C3%A9"] {
            #expect(shown("=\(text)=", of: secrets) == "=[masked:J]=")
        }
        for short in ["", "a", "abcde", "abcde\n\n", "\n\n\n\n\n\n\n"] {
            #expect(SecretForms.all(of: Self.secret(short), named: "S").isEmpty)
        }
    }

    @Test("A value of very many lines has a limited number of forms")
    func limitsForms() {
        let lines = (0..<5000).map { "a line with number \($0)" }.joined(separator: "\n")
        #expect(SecretForms.all(of: Self.secret(lines), named: "L").count < 300)
    }
}
