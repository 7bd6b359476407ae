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

    @Test(
        "A value is masked as programs write it, whichever bytes they escape and however",
        arguments: [
            #"pass\/word+1&<x>!"#, #"pass/word+1\u0026\u003cx\u003e!"#, "pass/word%2B1%26%3Cx%3E%21",
            "pass%2fword%2b1%26%3cx%3e!", "pass/word+1&%3Cx%3E!", "pass/word+1&amp;&lt;x&gt;!",
            "pass&#47;word+1&#38;&#x3C;x&#x3e;!", "pass=2Fword+1&<x=3E!", #"pass\x2fword\x2B1\046\074x>!"#,
            #"pass/word\+1\&\<x\>\!"#, #"pass\\\/word+1\\u0026\\u003cx>!"#, "pass/\u{1B}[31mword\u{1B}[0;1m+1&<x>!",
            "p\0a\0s\0s\0/\0w\0o\0r\0d\0+\01\0&\0<\0x\0>\0!", "70:61:73:73:2f:77:6f:72:64:2b:31:26:3c:78:3e:21",
            "70 61 73 73 2F 77 6F 72 64 2B 31 26 3C 78 3E 21", "pass/wo=\r\nrd+1&<x>!",
            #"\u{70}ass/word\U0000002b1&<x>!"#, "pass/wo\u{1B}(B\u{1B}[mrd+1&<x>!", "pass/word+1%2526%253Cx>!",
            "p\u{1B}[ma\u{1B}[1ms\u{1B}[ms\u{1B}[1m/word+1\u{1B}[m&<x>!",
            "pass/\u{1B}[m\u{1B}[K\u{1B}[01;31m\u{1B}[K\u{1B}(B\u{1B}=word+1&<x>!", "pass/word+1&amp;amp;&amp;lt;x>!",
            #"pass/word+1'$'\046'<x>!"#, #"\x{70}ass/word+1&<x>!"#, "pass/word+%u0031%u0026<x>!", "pass/'word'+1&<x>!",
        ], [1, 7, 1000])
    func masksWritten(text: String, pieces: Int) {
        #expect(shown("=.\(text);", of: [("P", "pass/word+1&<x>!")], pieces: pieces) == "=.[masked:P];")
    }

    @Test(
        "Quotation marks within a value hide it from no mask",
        arguments: [
            #"it'\''s-a "secret""#, #"it'"'"'s-a "secret""#, #"it''s-a ""secret"""#, #"it\u0027s-a \u0022secret\u0022"#,
            #"it&#39;s-a &quot;secret&quot;"#, #"it's-a \"secret\""#, #"it\'s-a \\\"secret\\\""#,
            "it%27s-a+%22secret%22",
            #"it\'s-a\ \"secret\""#,
        ])
    func masksQuoted(text: String) {
        #expect(shown("<\(text)>", of: [("Q", "it's-a \"secret\"")]) == "<[masked:Q]>")
    }

    @Test("Characters beyond ASCII are masked by their numbers")
    func masksCharacters() {
        for text in [
            #"cl\xe9-\U0001f600-x"#, "cl%E9-😀-x", "cl%u00E9-%uD83D%uDE00-x", "cl%u00e9-%uD83D%UDE00%2Dx",
            #"cl\303\251-\360\237\230\200-x"#, #"cl'$'\303\251''-😀-x"#,
        ] {
            #expect(shown("<\(text)>", of: [("C", "clé-😀-x")], pieces: 3) == "<[masked:C]>", "\(text)")
        }
        for text in [#"clé-\ud83d\ude00-x"#, #"cl\u00e9-😀-x"#, #"cl&#233;-&#x1F600;-x"#, #"cl\xc3\xa9-\u{1F600}-x"#] {
            #expect(shown("<\(text)>", of: [("C", "clé-😀-x")], pieces: 3) == "<[masked:C]>")
        }
    }

    @Test("Control characters are masked as shells and Python write them")
    func masksControls() {
        let secret = "a\u{1B}b\nc\td\u{7}'e"
        for text in [
            #"$'a\Eb\nc\td\a\'e'"#, #"$'a\033b\nc\td\007\'e'"#, #"'a'$'\E''b'$'\n''c'$'\t''d'$'\a'\''e'"#,
            #"b"a\x1bb\nc\td\x07'e""#, #"'a\u001bb\u000ac\u0009d\u0007'"'"'e'"#,
        ] {
            let found = shown("<\(text)>", of: [("S", secret)], pieces: 2)
            let rest = found.drop { "<b$".contains($0) }
            #expect(found.contains("[masked:S]") && !rest.contains("b") && !rest.contains("c"), "\(text): \(found)")
        }
    }

    @Test("A value beyond ASCII is masked in UTF-16 and in Latin-1", arguments: [false, true])
    func masksEncodings(isBig: Bool) {
        let mask = OutputMask(SecretForms.all(of: Self.secret("clé-über"), named: "U"))
        let latin = "clé-über".unicodeScalars.map { UInt8($0.value) }
        let wide: [UInt8] = latin.flatMap { isBig ? [0, $0] : [$0, 0] }
        for bytes in [latin, wide] {
            let buffer = SecretBuffer()
            mask.add((bytes + Array("|".utf8)).span, to: buffer)
            mask.release(to: buffer)
            #expect(buffer.finish().withSpan { $0.text(0, $0.count) } == "[masked:U]|")
        }
    }

    @Test("Base64 that is indented is masked")
    func masksIndented() {
        #expect(shown("key:\n  aGVs\n  bG8gd29y\r\n \tbGQh\n", of: [("H", "hello world!")]) == "key:\n  [masked:H]\n")
    }

    @Test("Base64 has no digit left with bits of the value, also within a URL and in lines of JSON", arguments: 0..<3)
    func masksAllDigits(offset: Int) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        for secret in ["tokens>?", "tokens>?x", "tokens>?xy"] {
            let bits = (Array(repeating: 0x78, count: offset) + Array(secret.utf8) + [0x79, 0x7A, 0x79, 0x7A, 0x79])
                .flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
            let digits = stride(from: 0, to: bits.count / 6 * 6, by: 6).map { start in
                alphabet[bits[start..<start + 6].reduce(0) { $0 * 2 + Int($1) }]
            }
            let (first, end) = (offset * 8 / 6, ((offset + secret.utf8.count) * 8 + 5) / 6)
            let expected = String(digits[..<first]) + "[masked:B]" + String(digits[end...])
            let text = String(digits)
            for written in [text, text.replacing("/", with: "\\/"), text.replacing("+", with: "%2B")] {
                #expect(shown(written, of: [("B", secret)], pieces: 5) == expected)
            }
            let broken = String(digits[..<(first + 3)]) + "\\n" + String(digits[(first + 3)...])
            #expect(shown(broken, of: [("B", secret)]) == expected)
        }
    }

    @Test("Any mixture of escapes is masked, wherever the stream is cut")
    func masksMixtures() {
        var numbers = SystemRandomNumberGenerator()
        let marks = Array("abz09 +%&<>\"'\\/=_~".utf8)
        for _ in 0..<200 {
            let secret = (0..<12).map { _ in marks.randomElement(using: &numbers) ?? 0 }
            let written = secret.map { byte in
                let hex = String(byte, radix: 16)
                let forms = [
                    String(UnicodeScalar(byte)), "%\(hex)", "%\(hex.uppercased())", "\\x\(hex)", "\\u00\(hex)",
                    "&#\(byte);",
                    "&#x\(hex);",
                ]
                return forms.randomElement(using: &numbers) ?? ""
            }.joined()
            let pieces = Int.random(in: 1...20, using: &numbers)
            let name = String(decoding: secret, as: UTF8.self)
            let text = shown("(\(written))", of: [("R", name)], pieces: pieces)
            #expect(text == "([masked:R])", "\(name) as \(written) in \(pieces)")
        }
    }

    @Test(
        "Text that only looks like an escape, and a beginning that breaks off, stays as it is", arguments: [1, 3, 100])
    func leavesOthers(pieces: Int) {
        let text = #"100% s3cret-%zz \u12 &#; s3cret\x-value s3cret\q-value "s3c" 's' s3cret&#12345678901; =3D"#
        #expect(shown(text, of: [("A", "s3cret-value")], pieces: pieces) == text)
    }

    @Test("A value of very many lines has a limited number of forms")
    func limitsForms() {
        let lines = (0..<5000).map { "a line with number \($0)" }.joined(separator: "\n")
        #expect(SecretForms.all(of: Self.secret(lines), named: "L").count < 300)
    }
}
