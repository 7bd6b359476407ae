import CommandOptions
import KeychainModel
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@testable import CodesignCommands

@Suite("The program codesign")
struct CodesigningTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// Runs the program without a keychain; its status, and what it wrote to standard output and standard error.
    private func run(_ words: String..., input: String = "") throws -> (status: Int32, output: String, errors: String) {
        let files = try ["input", "output", "errors"].map { name in
            try AtomicFile.replace(folder.file(name), with: Array(name == "input" ? input.utf8 : "".utf8).span)
            return try FileDescriptor.open(folder.file(name), 2)
        }
        let session = Session(input: files[0], output: files[1], diagnostics: files[2], socket: "") {
            () throws(Refusal) in
            throw Refusal(.notAvailable, .unavailable, "", "There is no keychain.", do: "Start one.")
        }
        let status = Codesigning.run(words.map { Argument($0) }, in: session)
        return (status, try text("output"), try text("errors"))
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try AtomicFile.read(folder.file(name), limit: 1 << 20), as: UTF8.self)
    }

    @Test("interpreters are known by their names, whatever version stands behind them")
    func interpreters() {
        for name in [
            "python3", "python3.13", "bash", "node", "perl5.36.0", "ruby", "php8.2", "lua5.4", "ld-linux-x86-64.so.2",
        ] {
            #expect(Interpreters.contain(name), "\(name)")
        }
        for name in ["App", "pythonic", "bashful", "server-2", "x", "3", ""] {
            #expect(!Interpreters.contain(name), "\(name)")
        }
    }

    @Test("nothing to do, files where none are expected, none where some are: wrong command lines")
    func usage() throws {
        #expect(try run().status == 2)
        #expect(try run("file").status == 2)
        #expect(try run("-v").status == 2)
        #expect(try run("-c", "key", "file").status == 2)
        #expect(try run("-c", "enclave:").status == 2)
        #expect(try run("-c", folder.file("key"), "-a", "rsa").status == 2)
        #expect(try run("-T", folder.file("key"), "-p", "x").status == 1)
        #expect(try run("--help").output.hasPrefix("Usage: codesign "))
    }

    @Test(
        "a key under a passphrase is asked for it, and shows its Team ID for no other",
        .rule("access-groups.team.passphrase"))
    func passphrase() throws {
        let path = folder.file("key")
        let made = try run("-P", "-c", path, input: "a b\na b\n")
        #expect(made.status == 0)
        #expect(made.output.utf8.count == 21)
        #expect(try FileStatus(at: path)?.mode == 0o100600)
        #expect(try run("-T", path, input: "a b\n").output == made.output)
        let wrong = try run("-T", path, input: "a\n")
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("The passphrase is wrong."))
        #expect(try run("-P", "-c", folder.file("other"), input: "a\nb\n").status == 1)
        #expect(try FileStatus(at: folder.file("other")) == nil)
    }

    @Test("what is no file, or has no signature, fails with its name; as JSON too")
    func verification() throws {
        #expect(try run("-v", folder.file("nothing")).status == 1)
        #expect(try run("-v", folder.path).errors.contains("is not a regular file"))
        let unsigned = try run("--verify", "--json", "/bin/true")
        #expect(unsigned.status == 1)
        #expect(unsigned.output.hasSuffix(#""signed":false,"valid":false}"# + "\n"))
        #expect(try run("-d", "/bin/true").errors.contains("is not signed at all"))
    }

    @Test("without a keychain, keys in the enclave are not there, and the reason is told")
    func enclave() throws {
        let outcome = try run("-T", "enclave:team")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("There is no keychain. Start one."))
    }
}
