import CommandOptions
import EnclaveWire
import Glibc
import LinuxSystem

/// The command line of the enclaves' listener.
struct ListenerOptions {
    var socket = ""
    /// The folder of the vaults.
    var state = "/var/lib/keychain-enclave"
    /// The user that it and the enclaves run as.
    var user = "_enclave"
    /// The user whose connections it takes.
    var client = "_keychain"
    var tpm = "auto"
    /// The group of the installed session agent.
    var agentGroup = AgentRegistration.usualGroup
    /// A descriptor whose end is the listener's.
    var lifeline: FileDescriptor?
    var ready: FileDescriptor?
    var asksForHelp = false

    static let table = ProgramOptions(
        "keychain-enclaved --listen [SOCKET]",
        """
        Starts an enclave for every daemon of the system service that connects. Started by systemd on a socket that \
        systemd passes, or by keychaind --system as root. In the second case it makes socket and folder and continues \
        as a user of its own, without capabilities.
        """,
        options: [
            ProgramOption(
                "--state", value: "FOLDER", .absolutePath,
                "The folder of the vaults. Default: /var/lib/keychain-enclave."),
            ProgramOption(
                "--user", value: "USER", .word,
                "The user that the enclaves run as: a name or a number. Default: _enclave."),
            ProgramOption(
                "--accept-from", value: "USER", .word, "The user whose connections are taken. Default: _keychain."),
            ProgramOption(
                "--tpm", value: "TPM", .word,
                "The TPM that the keys may rest on: auto, none, or the address of a TPM. Default: auto."),
            ProgramOption(
                "--agent-group", value: "GROUP", .word,
                """
                The group that root has given to the installed keychain-session-agent (set-group-ID), by name or \
                number. Without such a group no session agent is taken. Default: _keychain-prompts.
                """),
            ProgramOption("--until", value: "FD", .descriptor, "End when this descriptor does."),
            ProgramOption(
                "--ready-fd", value: "FD", .descriptor, "Write a byte to this descriptor when the program listens."),
            ProgramOption("--help", "Show this text."),
        ])

    init(_ words: some Sequence<String>) throws(EnclaveArguments.Mistake) {
        var rest = Array(words)[...]
        if rest.first?.hasPrefix("--") == false { socket = rest.popFirst() ?? "" }
        let given = try EnclaveArguments.read(rest, Self.table)
        asksForHelp = given.has("--help")
        state = given.text("--state") ?? state
        user = given.text("--user") ?? user
        client = given.text("--accept-from") ?? client
        tpm = given.text("--tpm") ?? tpm
        agentGroup = given.text("--agent-group") ?? agentGroup
        do throws(WrongCommandLine) {
            lifeline = try given.descriptor("--until")
            ready = try given.descriptor("--ready-fd")
        } catch { throw EnclaveArguments.Mistake(description: error.problem) }
        guard socket.hasPrefix("/") || asksForHelp else {
            throw EnclaveArguments.Mistake(description: "--listen takes an absolute path.")
        }
    }
}
