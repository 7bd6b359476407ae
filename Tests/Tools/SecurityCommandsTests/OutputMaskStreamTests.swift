import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("Masking of a stream") struct OutputMaskStreamTests {
    private static func bytes(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    private static func mask(_ secrets: [(String, String)]) -> OutputMask {
        OutputMask(secrets.flatMap { SecretForms.all(of: bytes($0.1), named: $0.0) })
    }

    /// The text as it is shown when it comes in pieces of so many bytes.
    private func shown(_ text: String, of secrets: [(String, String)], pieces: Int = .max) -> String {
        let (mask, bytes, buffer) = (Self.mask(secrets), Array(text.utf8), SecretBuffer())
        for start in stride(from: 0, to: bytes.count, by: min(pieces, bytes.count)) {
            mask.add(Array(bytes[start..<min(bytes.count, start + min(pieces, bytes.count))]).span, to: buffer)
        }
        mask.release(to: buffer)
        return buffer.finish().withSpan { $0.text(0, $0.count) ?? "" }
    }

    /// The work of reading a text in pieces of so many bytes, for each byte.
    private func work(_ text: String, of secret: String, pieces: Int) -> Int {
        var reader = MaskReader(SecretForms.all(of: Self.bytes(secret), named: "A"))
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let end = min(start + pieces, bytes.count)
            let new = bytes.span.extracting(reader.position..<end)
            reader.read(in: new, from: reader.position, isEnd: end == bytes.count)
        }
        #expect(reader.position == bytes.count)
        return reader.steps / bytes.count
    }

    @Test(
        "Of secrets that overlap nothing is shown, and each is named that is not within another",
        arguments: [
            ("<abcdefghijkl>", "<[masked:A][masked:B]>"), ("<abcdefgh>", "<[masked:A]>"), ("<fghijkl>", "<[masked:B]>"),
            ("<cdefgh>", "<[masked:C]>"), ("<cdefghijkl>", "<[masked:C][masked:B]>"),
            ("<abcdefghabcdefgh>", "<[masked:A][masked:A]>"),
            ("<abcdefghcdefghijkl>", "<[masked:A][masked:C][masked:B]>"),
        ])
    func overlaps(text: String, expected: String) {
        let secrets = [("A", "abcdefgh"), ("B", "fghijkl"), ("C", "cdefgh")]
        for pieces in [1, 3, 100] {
            #expect(shown(text, of: secrets, pieces: pieces) == expected)
            #expect(shown(text, of: secrets.reversed(), pieces: pieces) == expected)
        }
    }

    @Test("A secret that repeats itself leaves nothing at its borders", arguments: [1, 4, 1000])
    func repeats(pieces: Int) {
        #expect(shown("<abcabcabcabc>", of: [("A", "abcabcabc")], pieces: pieces) == "<[masked:A]>")
        #expect(shown(String(repeating: "a", count: 50), of: [("A", "aaaaaa")], pieces: pieces) == "[masked:A]")
        // Base64 of the secret twice: the digit between has bits of both.
        #expect(shown("c2VjcmV0MnNlY3JldDI=", of: [("B", "secret2")], pieces: pieces) == "[masked:B]=")
    }

    @Test("Random texts of few letters show no secret, and everything else", arguments: [1, 2, 7, 1000])
    func random(pieces: Int) {
        var numbers = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let letters = { (count: Int) in
                String((0..<count).map { _ in "ab".randomElement(using: &numbers) ?? "a" })
            }
            let secrets = [("A", letters(6)), ("B", letters(7)), ("C", letters(9))]
            let text = letters(60)
            // Found without the code under test.
            let (bytes, hidden) = (Array(text.utf8), secrets.map { Array($0.1.utf8) })
            var isHidden = [Bool](repeating: false, count: bytes.count)
            for secret in hidden {
                for start in 0...bytes.count - secret.count {
                    let range = start..<start + secret.count
                    if bytes[range].elementsEqual(secret) { for place in range { isHidden[place] = true } }
                }
            }
            let plain = zip(bytes, isHidden).filter { !$0.1 }.map(\.0)
            var found = shown(text, of: secrets, pieces: pieces)
            for (name, _) in secrets { found = found.replacing("[masked:\(name)]", with: "") }
            #expect(Array(found.utf8) == plain, "\(text) of \(secrets)")
        }
    }

    @Test("The work grows with the text and not with the secret, however that repeats itself", arguments: [1, 65536])
    func isLinear(pieces: Int) {
        let count = 2000
        for length in [30, 800] {
            let run = String(repeating: "a", count: length)
            let almost = String((run + "b").prefix(length + 1))
            let fibonacci = sequence(first: ("a", "ab")) { ($0.1, $0.1 + $0.0) }.first { $0.1.count > length }?.1 ?? ""
            let texts = [
                (run, String(repeating: "a", count: count)), (almost, String(repeating: "a", count: count)),
                (almost, String(repeating: run.dropLast() + "c", count: count / length)),
                (almost, String(repeating: run.dropLast() + "%61%61%", count: count / length)),
                (fibonacci, String(repeating: String(fibonacci.dropLast(2)), count: count / length)),
                (String(repeating: "\\", count: length), String(repeating: "\\", count: count / 5)),
            ]
            for (secret, text) in texts {
                let work = work(text, of: secret, pieces: pieces)
                #expect(work <= (secret.hasPrefix("\\") ? 100 : 12), "\(secret.prefix(10)) of \(length)")
            }
        }
    }

    @Test("Lines of a secret that begin alike are no more work than one")
    func sharesBeginnings() {
        let lines = (0..<200).map { "a line of the secret with number \($0)" }.joined(separator: "\n")
        let text = String(repeating: "a line of the secret with no number\n", count: 100)
        #expect(work(text, of: lines, pieces: 1 << 16) <= 12)
    }

    @Test("A secret that spans pieces of the usual size is masked at each offset from their border")
    func spansBuffers() {
        let secret = "s3cret-value-of-a-token"
        for offset in [0, 1, 11, secret.utf8.count - 1, secret.utf8.count] {
            let text = String(repeating: ".", count: (64 << 10) - offset) + secret + "\u{1B}[m" + secret + "."
            let found = shown(text, of: [("A", secret)], pieces: 64 << 10)
            #expect(found.hasSuffix(".[masked:A]\u{1B}[m[masked:A].") && !found.contains("s3c"), "\(offset)")
        }
    }

    @Test("The rest of a secret is masked that comes after its beginning was shown")
    func masksRests() {
        let (mask, buffer) = (Self.mask([("A", "s3cret-value")]), SecretBuffer())
        for part in ["a s3cr", "et-va", "lue b"] {
            mask.add(Array(part.utf8).span, to: buffer)
            if part != "lue b" { mask.release(to: buffer) }
        }
        mask.release(to: buffer)
        #expect(buffer.finish().withSpan { $0.text(0, $0.count) } == "a s3cret-va[masked:A] b")
    }

    @Test("What a stream holds back is no more than a secret in its longest form")
    func holdsLittle() {
        let (mask, buffer) = (Self.mask([("A", String(repeating: "a", count: 100))]), SecretBuffer())
        for _ in 0..<50 { mask.add(Array(String(repeating: "a", count: 99).utf8).span, to: buffer) }
        mask.add(Array("b".utf8).span, to: buffer)
        #expect(!mask.isHolding && buffer.count == "[masked:A]b".utf8.count)
    }
}
