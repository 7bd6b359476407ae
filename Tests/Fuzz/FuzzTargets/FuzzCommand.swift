import CommandOptions
import Glibc
import LinuxSystem

@testable import KeychainClient
@testable import KeychainModel
@testable import SecurityCommands

/// Command lines of any kind, in a session that reaches no keychain.
///
///     input = count:u16 words-with-NUL-between standard-input
///
/// Each ends with a status and a word on it. A wrong command line reaches for no keychain; what is printed steers no
/// terminal, and no password of the command line is in it.
func fuzzCommand(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let words = input.longRun().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    let standardInput = input.rest()
    let arguments = words.map { Argument(SecretBytes($0)) }
    checkParsing(arguments)
    guard isHarmless(arguments, standardInput) else { return }
    let outcome = CommandOutcome(arguments, standardInput)
    require(
        outcome.status != 2 || outcome.reaches == 0 || standardInput.count > 0, "a wrong line reached for a keychain")
    require(
        outcome.status == 0 || !outcome.errors.isEmpty || !outcome.output.isEmpty || outcome.isQuiet,
        "a failure without a word")
    for text in [outcome.output, outcome.errors] {
        let steers = text.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 || $0 == 0x7F }
        require(!steers, "what is printed steers a terminal")
    }
    checkSecrets(words, arguments, outcome, standardInput)
}

/// Whatever is parsed has each word once.
private func checkParsing(_ words: [Argument]) {
    guard let name = words.first, let command = CommandTable.find(name),
        let parsed = try? ArgumentParser.parse(Array(words.dropFirst()), for: command)
    else { return }
    let letters = Set(command.options.map(\.letter))
    require(parsed.values.allSatisfy { letters.contains($0.letter) }, "an option that the command has not")
    require(parsed.operands.count + parsed.values.count(where: { $0.value != nil }) < words.count, "a word came twice")
    require(parsed.secretWords.allSatisfy { $0 + 1 < words.count }, "a password that is no word")
}

/// Commands that change the machine, become another program or write files are parsed and no more.
private func isHarmless(_ words: [Argument], _ input: [UInt8]) -> Bool {
    let refused: Set = ["anchor", "setup", "attest-key", "codesign", "identity", "import-from"]
    let leading = try? ArgumentParser.parseLeading(words, options: CommandTable.globalOptions)
    let lines = input.split(separator: UInt8(ascii: "\n")).map { LineSplitter.split(SecretBytes(Array($0))) }
    let first = [leading?.operands ?? [], words] + lines
    return first.allSatisfy { line in
        guard let name = line.first, let command = CommandTable.find(name) else { return true }
        return command.program == nil && !refused.contains(command.name)
    }
}

private func checkSecrets(
    _ words: [[UInt8]], _ arguments: [Argument], _ outcome: CommandOutcome, _ input: [UInt8]
) {
    guard let leading = try? ArgumentParser.parseLeading(arguments, options: CommandTable.globalOptions),
        let name = leading.operands.first, let command = CommandTable.find(name), !leading.has("h"), !leading.wantsHelp,
        let parsed = try? ArgumentParser.parse(Array(leading.operands.dropFirst()), for: command), !parsed.wantsHelp
    else { return }
    let offset = words.count - leading.operands.count + 1
    let open = Set(words.indices).subtracting(parsed.secretWords.map { $0 + offset })
    for place in parsed.secretWords {
        let secret = words[place + offset]
        // One that stands among the other words too is no secret.
        guard secret.count >= 8, !open.contains(where: { words[$0].contains(secret) }) else { continue }
        guard outcome.shows(secret) else { continue }
        // The same words may be the command's own: then they are there with another password too.
        var others = arguments
        others[place + offset] = Argument(SecretBytes([UInt8](repeating: UInt8(ascii: "#"), count: secret.count)))
        require(CommandOutcome(others, input).shows(secret), "a password is shown")
    }
}

/// The outcome of a command line.
private struct CommandOutcome {
    let status: Int32
    let output, errors: [UInt8]
    let reaches: Int
    let isQuiet: Bool

    init(_ words: [Argument], _ input: [UInt8]) {
        let (output, errors) = (Self.file([]), Self.file([]))
        let count = Lock(0)
        let session = Session(
            input: Self.file(input), output: output, diagnostics: errors, socket: "/run/socket", mayAsk: false,
            environment: { ["HOME": "/nowhere"][$0] },
            connect: { () throws(Refusal) in
                count.withLock { $0 += 1 }
                throw .noSystemKeychain
            })
        status = Driver.run(words, in: session)
        (self.output, self.errors) = (Self.content(output), Self.content(errors))
        (reaches, isQuiet) = (count.withLock { $0 }, session.isQuiet)
    }

    func shows(_ text: [UInt8]) -> Bool { output.contains(text) || errors.contains(text) }

    static func file(_ content: [UInt8]) -> FileDescriptor {
        var path = Array("/dev/shm/keychain-fuzz-XXXXXX".utf8CString)
        let file = FileDescriptor(owning: unsafe mkstemp(&path))
        unsafe unlink(path)
        try? file.writeFully(content.span)
        lseek(file.number, 0, SEEK_SET)
        return file
    }

    private static func content(_ file: FileDescriptor) -> [UInt8] {
        lseek(file.number, 0, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: (try? FileStatus(of: file).size) ?? 0)
        var span = bytes.mutableSpan
        _ = try? file.readFully(into: &span)
        return bytes
    }
}

extension FuzzSeeds {
    static func ofCommand() -> [[UInt8]] {
        func line(_ words: [String], _ input: String = "") -> [UInt8] {
            longEntry(Array(words.joined(separator: "\0").utf8)) + Array(input.utf8)
        }
        var seeds = [
            line([]), line(["-h"]), line(["-v", "-q"]), line(["-i"], "help\nfind-generic-password -a 'a b' -w\n"),
        ]
        for command in CommandTable.commands {
            seeds += [line([command.name]), line([command.name, "--help"]), line([command.name, "--json"])]
            for option in command.options {
                let named = option.word.map { "--\($0)" } ?? "-\(option.letter)"
                seeds.append(line(["-v", command.name, named, "a value of it", "-\(option.letter)", "b"], "a value\n"))
            }
        }
        seeds.append(line(["add-generic-password", "-a", "a", "-s", "s", "-w", "a password", "-U"]))
        seeds.append(line(["git-credential", "get"], "protocol=https\nhost=example.org:8443\npath=a\n\n"))
        seeds.append(
            line(
                ["docker-credential", "store"],
                "{\"ServerURL\":\"https://example.org/v1/\",\"Username\":\"a\",\"Secret\":\"\\u0062c\"}"))
        return seeds
    }
}
