import TerminalScreen
import Testing

@Suite("The input of a terminal") struct InputParserTests {
    private func events(_ bytes: [UInt8]) -> [InputEvent] {
        var parser = InputParser()
        return bytes.compactMap { parser.take($0) }
    }

    private func events(_ text: String) -> [InputEvent] { events(Array(text.utf8)) }

    @Test(
        "Each sequence of a key is that key",
        arguments: [
            ("a", InputEvent.Key.character("a")), ("部", .character("部")), ("\u{01}", .control("a")), ("\r", .enter),
            ("\n", .enter), ("\t", .tab), ("\u{7F}", .backspace), ("\u{1B}[A", .up), ("\u{1B}OB", .down),
            ("\u{1B}[5~", .pageUp), ("\u{1B}[Z", .backTab), ("\u{1B}[3~", .delete), ("\u{1B}[1;5C", .right),
            ("\u{1B}[H", .home), ("\u{1B}[4~", .end),
        ])
    func keys(text: String, key: InputEvent.Key) { #expect(events(text) == [.key(key)]) }

    @Test("Reports of the mouse have the place and the act")
    func mouse() {
        #expect(events("\u{1B}[<0;5;3M") == [.mouse(.init(.press, row: 2, column: 4))])
        #expect(events("\u{1B}[<0;5;3m") == [.mouse(.init(.release, row: 2, column: 4))])
        #expect(events("\u{1B}[<32;6;3M") == [.mouse(.init(.drag, row: 2, column: 5))])
        #expect(events("\u{1B}[<65;1;1M") == [.mouse(.init(.wheelDown, row: 0, column: 0))])
        #expect(events("\u{1B}[<0;0;3M") == [])
        #expect(events("\u{1B}[<0;99999999;3M") == [])
        #expect(events("\u{1B}[<2;5;3M") == [])
    }

    @Test(
        "What is not known is swallowed whole, and no letter of it becomes a key",
        arguments: [
            "\u{1B}[1;2;3;4y", "\u{1B}[?1;2c", "\u{1B}[M !d", "\u{1B}]0;delete\u{07}", "\u{1B}]52;c;ZA==\u{1B}\\",
            "\u{1B}Pdq\u{1B}\\", "\u{1B}_d\u{1B}\\", "\u{1B}[[A", "\u{1B}d", "\u{1B}(B", "\u{1B}Od", "\u{1B}[200",
            "\u{1B}[>0;276;0c",
        ])
    func unknown(text: String) { #expect(events(text) == []) }

    @Test("A paste is one event, whatever is in it, and a long one is dropped")
    func paste() {
        #expect(events("\u{1B}[200~dd\ry\u{1B}[A\u{1B}[201~q") == [.paste("ddy[A"), .key(.character("q"))])
        let long = String(repeating: "d", count: 10_000)
        #expect(events("\u{1B}[200~\(long)\u{1B}[201~q") == [.pasteTooLong, .key(.character("q"))])
        #expect(events("\u{1B}[200~\(String(repeating: "d", count: InputParser.mostPasted))\u{1B}[201~").count == 1)
    }

    @Test("An Escape by itself is a key after a while, and what follows late is still its sequence")
    func escape() {
        var parser = InputParser()
        #expect(parser.take(0x1B) == nil)
        #expect(parser.awaitsEscape)
        #expect(parser.finishEscape() == .key(.escape))
        #expect(parser.finishEscape() == nil)
        #expect(Array("[3~".utf8).compactMap { parser.take($0) } == [.key(.delete)])
        #expect(parser.take(UInt8(ascii: "[")) == .key(.character("[")))
    }

    private func taken(_ reads: [(text: String, time: Double)]) -> [[InputEvent]] {
        var parser = InputParser()
        return reads.map { parser.take(Array($0.text.utf8).span, at: $0.time) }
    }

    @Test("A string without an end is given up after a second, and one that goes on sooner is not")
    func unfinishedString() {
        #expect(
            taken([("\u{1B}P", 5), ("a", 5.9), ("d", 6.1), ("y", 6.2)]).suffix(2).map { $0.first } == [
                .key(.character("d")), .key(.character("y")),
            ])
        #expect(taken([("\u{1B}]0;", 5), ("dy", 5.9), ("\u{07}d", 5.95)]) == [[], [], [.key(.character("d"))]])
        // The second string has its own second.
        #expect(taken([("\u{1B}P", 5), ("\u{07}\u{1B}P", 5.9), ("d", 6.1)]).last == [])
    }

    @Test("A paste without an end is left by a Control-C that comes alone after a second, and by nothing else")
    func unfinishedPaste() {
        let begin = ("\u{1B}[200~dd", 5.0)
        #expect(
            taken([begin, ("\u{03}", 6), ("q", 6.1)]).suffix(2) == [[.key(.control("c"))], [.key(.character("q"))]])
        for reads in [[("\u{03}", 5.9)], [("\u{03}d", 7)], [("d\u{03}", 7)], [("d", 7), ("\u{03}", 7.5)], [("y", 9)]] {
            #expect(taken([begin] + reads).allSatisfy { $0.isEmpty })
        }
    }

    @Test(
        "Bytes that give no event, or end inside of something, are told",
        arguments: [
            ("a", false), ("\u{1B}[A", false), ("\u{1B}", false), ("\u{1B}[", true), ("\u{1B}P", true),
            ("\u{1B}[200~x", true),
            ("a\u{1B}[1", true), ("\u{1B}[?1;2c", true), ("\u{1B}[1;1R", false),
        ])
    func unclear(text: String, isUnclear: Bool) {
        var parser = InputParser()
        _ = parser.take(Array(text.utf8).span, at: 1)
        #expect(parser.isUnclear == isUnclear)
    }

    @Test("Control-C ends a string that a letter with Alt has opened")
    func stringByMistake() {
        #expect(events("\u{1B}Pabc\u{03}d") == [.key(.control("c")), .key(.character("d"))])
    }

    @Test(
        "A sequence that is cut at any place and comes late is what it was, and no letter of it becomes a key",
        arguments: [
            "\u{1B}[A", "\u{1B}OB", "\u{1B}[5~", "\u{1B}[1;5C", "\u{1B}[<0;5;3M", "\u{1B}[<65;1;1m", "\u{1B}[3;7R",
            "\u{1B}[I", "\u{1B}[200~dd\ry\u{1B}[Ayd\u{1B}[201~", "\u{1B}[1;2;3;4y", "\u{1B}[?1;2c", "\u{1B}[M !d",
            "\u{1B}[[A", "\u{1B}Od",
        ])
    func cuts(text: String) {
        let (whole, bytes) = (events(text), Array(text.utf8))
        for cut in 0...bytes.count {
            var (parser, found) = (InputParser(), [InputEvent]())
            for byte in bytes[..<cut] { found += [parser.take(byte)].compactMap { $0 } }
            let late = [parser.finishEscape()].compactMap { $0 }
            for byte in bytes[cut...] { found += [parser.take(byte)].compactMap { $0 } }
            #expect(found == whole && late.allSatisfy { $0 == .key(.escape) }, "cut at \(cut)")
        }
    }

    @Test("Bytes that are no UTF-8 become nothing, and the next key counts")
    func malformed() {
        #expect(events([0xFF, 0xC3, 0x41]) == [.key(.character("A"))])
        #expect(events([0xC2, 0x9B, 0x41]) == [.key(.character("A"))])
        #expect(events([0xE9, 0x83, 0x1B, 0x5B, 0x41]) == [.key(.up)])
        #expect(events([0xED, 0xA0, 0x80, 0x64]) == [.key(.character("d"))])
    }

    @Test("A cursor report is no key")
    func cursor() {
        #expect(events("\u{1B}[3;7R") == [.cursor(row: 2, column: 6)])
        #expect(events("\u{1B}[3R") == [])
    }

    @Test("Whatever comes, the parser goes on, and a whole sequence afterwards is understood", arguments: 0..<50)
    func random(seed: UInt64) {
        var (state, parser) = (seed, InputParser())
        for _ in 0..<2_000 {
            // Knuth's linear congruential generator; its high bits are the better ones.
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            _ = parser.take(UInt8(truncatingIfNeeded: state >> 56))
        }
        // A paste, a string or a sequence may be open: these end all of them.
        for byte in Array("\u{1B}[201~".utf8) + [0x07, 0x18, 0x41, 0x41, 0x41, 0x41] { _ = parser.take(byte) }
        #expect(Array("\u{1B}[A".utf8).compactMap { parser.take($0) } == [.key(.up)], "seed \(seed)")
    }
}
