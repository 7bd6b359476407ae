import CommandOptions
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

/// Runs `security` as a shell would, with files for its standard streams and a keychain in memory.
struct Shell {
    struct Outcome: Equatable {
        var status: Int32
        var output: [UInt8]
        /// The lines that macOS's command would write too.
        var errors: String
        /// The lines behind that which say why, and what to do. They are no part of what is compared.
        var reasons = ""

        static func == (left: Self, right: Self) -> Bool {
            (left.status, left.output, left.errors) == (right.status, right.output, right.errors)
        }

        init(_ status: Int32, _ output: String = "", errors: String = "") {
            self.init(status, bytes: Array(output.utf8), errors: errors)
        }

        init(_ status: Int32, bytes: [UInt8], errors: String = "") {
            (self.status, self.output, self.errors) = (status, bytes, errors)
        }

        var text: String { String(decoding: output, as: UTF8.self) }
    }

    let keychain = StandInKeychain()
    /// Whether a daemon runs before the command does.
    var runs = true
    /// The user's store from before the system service.
    var older: StandInOlderStore?
    /// The administrator's policy.
    var policy = AdministratorPolicy.none
    /// The variables the command sees.
    var environment: [String: String] = [:]
    /// The keychain that the command reaches in place of the stand-in.
    var other: (any KeychainConnection)?

    func run(_ words: String..., input: String = "") -> Outcome { run(words, input: Array(input.utf8)) }

    func run(_ words: [String], input: [UInt8]) -> Outcome { run(words.map { Argument($0) }, input: input) }

    func run(_ words: [Argument], input: [UInt8] = []) -> Outcome {
        let (output, errors) = (Self.file(), Self.file())
        let session = session(input: Self.file(input), output: output, diagnostics: errors)
        let status = Driver.run(words, in: session)
        let lines = Self.content(errors).split(separator: 10, omittingEmptySubsequences: false)
        let isReason = { (line: ArraySlice<UInt8>) in
            ["security: why: ", "security: next: "].contains { line.starts(with: $0.utf8) }
        }
        let text = { (lines: [ArraySlice<UInt8>]) in
            String(decoding: Array(lines.joined(separator: [10])), as: UTF8.self)
        }
        var outcome = Outcome(status, bytes: Self.content(output), errors: text(lines.filter { !isReason($0) }))
        outcome.reasons = text(lines.filter(isReason))
        return outcome
    }

    func session(
        input: FileDescriptor, output: FileDescriptor, diagnostics: FileDescriptor, terminal: FileDescriptor? = nil
    ) -> Session {
        Session(
            input: input, output: output, diagnostics: diagnostics, socket: "/run/user/1000/keychain",
            olderStore: older, policy: policy, progressInterval: 1, environment: { [environment] in environment[$0] },
            now: { StandInKeychain.date + 3600 },
            terminal: { terminal.flatMap { try? Terminal(behind: $0) } },
            connectAs: { _ in keychain }, connectRunning: { [runs] _ throws(Refusal) in runs ? keychain : nil },
            connect: { other ?? keychain })
    }

    /// A file without a name, to be read from its beginning.
    static func file(_ content: [UInt8] = []) -> FileDescriptor {
        var path = Array("\(TemporaryDirectory.base)/security-test.XXXXXX".utf8CString)
        let file = FileDescriptor(owning: unsafe mkstemp(&path))
        unsafe unlink(path)
        try? file.writeFully(content.span)
        lseek(file.number, 0, SEEK_SET)
        return file
    }

    static func content(_ file: FileDescriptor) -> [UInt8] {
        lseek(file.number, 0, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: (try? FileStatus(of: file).size) ?? 0)
        var span = bytes.mutableSpan
        _ = try? file.readFully(into: &span)
        return bytes
    }
}
