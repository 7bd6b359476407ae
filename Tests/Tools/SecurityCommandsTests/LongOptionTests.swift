import CommandOptions
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("Options with long names") struct LongOptionTests {
    private func parse(_ words: String...) throws(CommandFailure) -> ParsedArguments {
        try ArgumentParser.parse(words.map { Argument($0) }, for: Codesign.command)
    }

    @Test(
        "their values stand in the next word or behind an equals sign, before operands and behind them",
        .rule("command.driver.options"))
    func values() throws {
        for words in [["--identifier", "x", "file"], ["--identifier=x", "file"], ["file", "--identifier", "x"]] {
            let parsed = try ArgumentParser.parse(words.map { Argument($0) }, for: Codesign.command)
            #expect(parsed.value("i")?.text == "x")
            #expect(parsed.operands.map(\.text) == ["file"])
        }
        #expect(try parse("--identifier=", "file").value("i")?.text == "")
        #expect(try parse("-e", "-", "--json").wantsJSON)
    }

    @Test("one without its value, or that does not exist, is a wrong command line")
    func wrong() {
        for words in [["--identifier"], ["file", "--identifier"], ["--identifiers", "x"], ["--force=x"], ["--"]] {
            let parsed = try? ArgumentParser.parse(words.map { Argument($0) }, for: Codesign.command)
            #expect(parsed == nil || parsed?.operands.isEmpty == (words == ["--"]))
        }
    }

    @Test("a word that names something is UTF-8; a password, an attribute and a command's words are any bytes")
    func bytes() throws {
        let bytes = Argument(SecretBytes(copying: ([0x61, 0xFF] as [UInt8]).span))
        func parse(_ command: Command, _ words: [String]) throws(CommandFailure) -> ParsedArguments {
            try ArgumentParser.parse(words.map { $0 == "?" ? bytes : Argument($0) }, for: command)
        }
        for words in [["?"], ["-i", "?", "x"], ["--identifier", "?", "x"], ["x", "?"]] {
            #expect(failure { () throws(CommandFailure) in _ = try parse(Codesign.command, words) } != nil)
        }
        let run = try #require(CommandTable.commands.first { $0.name == "run" })
        #expect(try parse(run, ["--", "echo", "?"]).operands.count == 2)
        #expect(failure { () throws(CommandFailure) in _ = try parse(run, ["--", "?", "x"]) } != nil)
        let add = try #require(CommandTable.commands.first { $0.name == "add-generic-password" })
        #expect(try parse(add, ["-a", "?", "-w", "?"]).value("w")?.array == [0x61, 0xFF])
        #expect(failure { () throws(CommandFailure) in _ = try parse(add, ["-a", "x", "?"]) } != nil)
    }

    @Test("behind two minus signs, words are operands")
    func end() throws {
        let parsed = try parse("-f", "--", "--identifier", "-v")
        #expect(parsed.operands.map(\.text) == ["--identifier", "-v"])
        #expect(!parsed.has("i") && !parsed.has("v"))
    }

    @Test("codesign is a program of its own, which is not run for commands from standard input")
    func interactive() {
        let outcome = Shell().run("-i", input: "codesign -v x\n")
        #expect(outcome.errors.hasPrefix("security: keychain-codesign reads its own input\n"))
    }
}
