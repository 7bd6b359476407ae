import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("identity") struct IdentityCommandTests {
    let shell = Shell()

    @Test("the command itself, as the daemon sees it")
    func own() {
        let expected = """
            program:     /usr/bin/security
            identity:    unsigned
            anchored:    no
            user:        1000
            process:     42
            groups:      program:/usr/bin/security

            """
        #expect(shell.run("identity") == .init(0, expected))
    }

    @Test("a program file goes to the daemon, and comes back as what it would be")
    func file() {
        let expected = """
            program:     org.example.app
            identity:    signed by team TEAM
            anchored:    yes
            user:        1000
            groups:      TEAM.shared
                         TEAM.org.example.app

            """
        #expect(shell.run("identity", "/bin/sh") == .init(0, expected))
        #expect(shell.keychain.update { $0.devices } == [.examine])
        let json =
            #"{"program":"org.example.app","identity":"signed","authority":"TEAM","anchored":true,"user":1000,"#
            + #""process":null,"groups":["TEAM.shared","TEAM.org.example.app"]}"# + "\n"
        #expect(shell.run("identity", "--json", "/bin/sh") == .init(0, json))
    }

    @Test("what cannot be opened is said, and two programs are too many")
    func wrong() {
        #expect(shell.run("identity", "/nonexistent/program").status == 1)
        #expect(shell.run("identity", "/bin/sh", "/bin/cat").status == 2)
    }
}

@Suite("anchor") struct AnchorCommandTests {
    private let shell = Shell()
    private let directory: TemporaryDirectory
    private static let group = "64322"

    init() throws {
        directory = try TemporaryDirectory()
        unsafe chmod(directory.path, 0o755)
    }

    /// The head of a program for 64 bits, with nothing behind it.
    private static let elf: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 57)

    /// A small program without any library, or something else, that root has installed.
    private func install(_ name: String = "program", _ content: [UInt8] = Self.elf) throws -> String {
        try AtomicFile.replace(directory.file(name), with: content.span, mode: 0o755)
        return directory.file(name)
    }

    private func anchor(_ words: String...) -> Shell.Outcome {
        shell.run(["anchor", "-g", Self.group] + words, input: [])
    }

    private func status(_ path: String) throws -> FileStatus { try FileStatus(at: path)! }

    @Test("it marks a program, lists it, and takes the mark away", .enabled(if: CurrentProcess.user == 0))
    func marks() throws {
        let program = try install()
        #expect(anchor(program) == .init(0))
        #expect(try status(program).group == 64322 && status(program).mode & 0o7777 == 0o2755)
        #expect(anchor(program) == .init(0))
        #expect(anchor("--list", directory.path) == .init(0, program + "\n"))
        #expect(anchor("--list", "--json", directory.path) == .init(0, "[\"\(program)\"]\n"))
        #expect(anchor("--remove", program) == .init(0))
        #expect(try status(program).group == 0 && status(program).mode & 0o7777 == 0o755)
        #expect(anchor("--remove", program).status == 1)
        #expect(anchor("--list", directory.path) == .init(0))
    }

    @Test(
        "what could carry the mark elsewhere, or be changed by others, is left as it is",
        .enabled(if: CurrentProcess.user == 0))
    func refuses() throws {
        let spawning = Self.elf + [0] + Array("posix_spawn".utf8) + [0]
        var programs = [
            try install("script", Array("#!/bin/sh\n".utf8)), try install("python3.11"),
            try install("starts", spawning),
            try install("empty", []), directory.file("missing"), directory.path,
        ]
        programs.append(try install("foreign"))
        unsafe chown(programs[6], 1000, 1000)
        programs.append(try install("writable"))
        unsafe chmod(programs[7], 0o775)
        programs.append(try install("setuid"))
        unsafe chmod(programs[8], 0o4755)
        for program in programs {
            let outcome = anchor(program)
            #expect(outcome.status == 1 && outcome.errors.contains("is not changed"), "\(program)")
            #expect(try FileStatus(at: program)?.group != 64322)
        }
        #expect(anchor("--force", programs[2]) == .init(0))
        #expect(anchor("--force", programs[1]).status == 1)
    }

    @Test("a folder that others may write is no place for an anchored program", .enabled(if: CurrentProcess.user == 0))
    func folders() throws {
        let program = try install()
        unsafe chmod(directory.path, 0o777)
        #expect(anchor(program).status == 1)
    }

    @Test(
        "without the group, without a program or for root's own group it does nothing",
        .enabled(if: CurrentProcess.user == 0))
    func groups() throws {
        let program = try install()
        let missing = shell.run("anchor", "-g", "no-such-group-here", program)
        #expect(missing.status == 1 && missing.errors.contains("--create-group"))
        #expect(shell.run("anchor", "-g", "0", program).status == 1)
        #expect(anchor().status == 2)
    }

    @Test("only root can", .enabled(if: CurrentProcess.user != 0))
    func needsRoot() throws { #expect(anchor(try install()).errors.contains("only root")) }

    @Test("interpreters are known by their names, with versions")
    func interpreters() {
        for name in ["python3", "python3.11", "perl5.36.0", "sh", "node", "ld-linux-x86-64.so.2", "lua5.4", "php8.2"] {
            #expect(Anchor.isInterpreter(name))
        }
        for name in ["ssh", "keychain-app", "nodemon", "pythonista", "bashful"] { #expect(!Anchor.isInterpreter(name)) }
    }
}
