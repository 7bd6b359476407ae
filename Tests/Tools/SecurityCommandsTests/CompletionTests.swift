import CommandOptions
import Glibc
import KeychainClient
import LinuxSystem
import SecurityCommands
import Testing

/// The top of the repository.
private let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }

private func content(of path: String) throws -> String {
    String(decoding: try AtomicFile.read("\(root)/\(path)", limit: 1 << 20), as: UTF8.self)
}

/// The output of bash for a script; nil when the script fails.
private func bash(_ script: String) -> String? {
    guard let process = unsafe popen("bash <<'END'\n\(script)\nEND", "r") else { return nil }
    var bytes: [UInt8] = []
    while case let byte = unsafe getc(process), byte != EOF { bytes.append(UInt8(truncatingIfNeeded: byte)) }
    return unsafe pclose(process) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
}

@Suite("Completion") struct CompletionTests {
    let shell = Shell()

    @Test("the scripts in the repository are those the command prints", arguments: Completions.Shell.allCases)
    func files(of kind: Completions.Shell) throws {
        let script = try content(of: "completions/security.\(kind.rawValue)")
        #expect(script == Completions.script(for: kind), "see `security completions \(kind.rawValue)`")
        #expect(shell.run("completions", kind.rawValue) == .init(0, script))
    }

    @Test("a shell nobody knows is a wrong command line")
    func unknownShell() {
        #expect(shell.run("completions", "tcsh").status == 2)
        #expect(shell.run("completions").status == 2)
    }

    @Test("each command and each of its options is in each script", arguments: Completions.Shell.allCases)
    func contents(of kind: Completions.Shell) {
        let script = Completions.script(for: kind)
        for command in CommandTable.commands {
            #expect(script.contains(command.name))
            for option in command.options {
                #expect(script.contains(kind == .fish ? " -s \(option.letter)" : "-\(option.letter)"))
            }
        }
    }

    @Test(
        "bash completes commands, options and what they name",
        arguments: [
            (
                "security find",
                "find-generic-password find-internet-password find-key find-certificate find-identity"
            ),
            ("security -v st", "status"),
            ("security help show", "show-keychain-info show"), ("security completions z", "zsh"),
            ("security lock-keychain -", "-a --json --help"), ("security find-generic-password -s ex", "example\\ one"),
            ("security delete-generic-password -s $", "\\$\\(exit\\ 9\\)"),
            ("security dump-keychain --j", "--json"),
        ])
    func complete(line: String, expected: String) {
        let words = line.split(separator: " ").map { "'\($0)'" }.joined(separator: " ")
        let script = """
            security() { printf '    "svce"<blob>="%s"\\n' 'example one' other '$(exit 9)'; }
            source '\(root)/completions/security.bash'
            COMP_WORDS=(\(words)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _security; echo "${COMPREPLY[*]}"
            """
        #expect(bash(script) == expected + "\n")
    }
}

@Suite("The manual page") struct ManualPageTests {
    @Test("it has each setting of the environment")
    func environment() throws {
        let lines = try content(of: "docs/man/security.1").split(separator: "\n")
        let documented = lines.filter { $0.hasPrefix(".It Ev ") }.map { $0.dropFirst(7) }
        #expect(documented == Setting.table.map { $0.variable[...] })
    }
}
