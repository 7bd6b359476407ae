"""The recipes of CONTRIBUTING for a query key, an access-control flag, an algorithm, a command and an enclave call,
carried out.

Copies of the modules concerned get what the recipe says and nothing else. They are compiled with a check, against the
modules of the debug build, and the check runs. Recipes for an attribute, a status and a constant have tests of their
own: Tests/Machinery/new_attribute.py and generate_test.py.
"""

import os
import subprocess
import sys
import tempfile

from recipe_parts import Recipe

MODEL = Recipe(
    "a query key, an access-control flag and an algorithm are a row each",
    modules=["Base/KeychainModel"],
    edits=(
        (
            "KeychainModel/Requests/QueryKey.swift",
            "role: .updateExisting),\n",
            'role: .updateExisting),\n        .init(code: "m_New", constant: "kSecMatchNew", role: .matchIgnored),\n',
        ),
        (
            "KeychainModel/Attributes/AccessConstraint.swift",
            "package static let anchoredProgram: UInt64 = 1 << 48\n",
            "package static let anchoredProgram: UInt64 = 1 << 48\n    package static let new: UInt64 = 1 << 49\n",
        ),
        (
            "KeychainModel/Attributes/AccessConstraint.swift",
            "        | anchoredProgram\n",
            "        | anchoredProgram | new\n",
        ),
        (
            "KeychainModel/Keys/KeyAlgorithmTable.swift",
            '    Row("RSAEncryptionRaw"',
            '    Row("EdDSANew", "sign:EdDSA:new", .signature(.ed25519, of: .bytes)),\n    Row("RSAEncryptionRaw"',
        ),
    ),
    check="""
import KeychainModel

@main enum Check {
    static func main() {
        guard QueryKey.rows.last?.code == "m_New" else { fatalError("the query key is not the last row") }
        guard AccessConstraint(flags: AccessConstraint.new).isUnderstood else { fatalError("the flag is unknown") }
        guard !AccessConstraint(flags: 1 << 50).isUnderstood else { fatalError("any flag is understood") }
        let algorithm = KeyAlgorithm(constant: "EdDSANew")
        guard algorithm?.name == "algid:sign:EdDSA:new" else { fatalError("no such algorithm") }
    }
}
""",
)

COMMAND = Recipe(
    "a command is an entry of the table",
    modules=["Tools/SecurityCommands"],
    files={
        "SecurityCommands/Items/NewCommand.swift": """import CommandOptions

enum NewCommand {
    static let command = Command(
        "new-command", "Write a word twice.", synopsis: "[-u] word",
        options: [CommandOption("u", "Write it once.")], operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        for _ in 0..<(arguments.has("u") ? 1 : 2) { session.output.write("\\(arguments.operands[0].text)\\n") }
    }
}
"""
    },
    edits=(
        (
            "SecurityCommands/Help/CommandTable.swift",
            "        Completions.command,\n",
            "        Completions.command, NewCommand.command,\n",
        ),
    ),
    check="""
import Glibc
import SecurityCommands

@main enum Check {
    static func main() { exit(Driver.runThisProcess()) }
}
""",
    runs=(
        (["new-command", "word"], 0, "word\nword\n"),
        (["new-c", "-u", "word"], 0, "word\n"),
        (["new-command"], 2, "Usage: new-command [-u] word"),
        (["new-command", "-x", "word"], 2, "-u  Write it once."),
        (["help", "new-command"], 0, "Usage: new-command [-u] word"),
        (["help"], 0, "new-command"),
        (["completions", "bash"], 0, "new-command"),
    ),
)

ENCLAVE_CALL = Recipe(
    "an enclave call is one declaration, its function, and the line that sends it",
    modules=["Wire/EnclaveWire", "Enclave/SecureEnclave"],
    libraries=["COpenSSL", "CArgon2"],
    files={
        "EnclaveWire/Channel/EnclaveConnection+New.swift": """package import KeychainModel

extension EnclaveConnection {
    package func reverse(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        try send(EnclaveCalls.reverse, BytesMessage(bytes)).bytes
    }
}
""",
        "SecureEnclave/Enclave/SoftwareEnclave+New.swift": """package import KeychainModel

extension SoftwareEnclave {
    package func reverse(_ bytes: [UInt8]) throws(Refusal) -> [UInt8] { bytes.reversed() }
}
""",
    },
    edits=(
        (
            "EnclaveWire/Channel/EnclaveCalls.swift",
            "        hello, status.operation,",
            "        reverse.operation, hello, status.operation,",
        ),
        (
            "EnclaveWire/Channel/EnclaveCalls.swift",
            "// MARK: - Metadata keys and row keys\n\nextension EnclaveCalls {\n",
            """// MARK: - Metadata keys and row keys

extension EnclaveCalls {
    package static let reverse = EnclaveCall<BytesMessage, BytesMessage>(63) { (call, bytes) throws(Refusal) in
        BytesMessage(try call.enclave.reverse(bytes.bytes))
    }

""",
        ),
        (
            "EnclaveWire/Service/EnclaveService.swift",
            "    func status() throws(Refusal) -> EnclaveStatus\n",
            "    func status() throws(Refusal) -> EnclaveStatus\n"
            "    func reverse(_ bytes: [UInt8]) throws(Refusal) -> [UInt8]\n",
        ),
    ),
    check="""
import EnclaveWire
import KeychainModel
import LinuxSystem
import SecureEnclave

@main enum Check {
    static func main() throws {
        let enclave = try SoftwareEnclave(
            vault: CommandLine.arguments[1] + "/vault", createIfMissing: true, passcodeCost: .cheapest)
        let (ours, theirs) = try UnixSocket.pair()
        let server = try Thread(named: "server") { try? EnclaveServer(enclave, channel: theirs).run() }
        let connection = try EnclaveConnection(ours)
        let answer = try connection.reverse([1, 2, 3])
        guard answer == [3, 2, 1] else { fatalError("the answer is \\(answer)") }
        _ = server
    }
}
""",
)


def fails(program, arguments, status, text):
    """What is wrong with a run of the check; None when it does what it should."""
    environment = {"PATH": os.environ["PATH"], "HOME": os.path.dirname(program), "SWIFT_BACKTRACE": "enable=no"}
    done = subprocess.run([program, *arguments], capture_output=True, text=True, env=environment, timeout=60)
    said = done.stdout + done.stderr
    return None if done.returncode == status and text in said else f"{arguments}: {done.returncode}: {said}"


def main():
    failed = False
    for recipe in (MODEL, COMMAND, ENCLAVE_CALL):
        with tempfile.TemporaryDirectory() as folder:
            program = recipe.build(folder)
            problems = [fails(program, *run) for run in recipe.runs or (([folder], 0, ""),)]
        for problem in filter(None, problems):
            failed = True
            print(f"FAILED  {recipe.name}: {problem}")
        if not any(problems):
            print(f"ok      {recipe.name}")
    sys.exit(failed)


main()
