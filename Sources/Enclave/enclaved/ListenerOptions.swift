import Glibc
import LinuxSystem

/// The options of the enclaves' listener.
struct ListenerOptions {
    var socket = ""
    /// The folder of the vaults.
    var state = "/var/lib/keychain-enclave"
    /// The user that it and the enclaves run as.
    var user = "_enclave"
    /// Whose connections it takes.
    var client = "_keychain"
    var tpm = "auto"
    /// A descriptor whose end is the listener's.
    var lifeline: FileDescriptor?
    var ready: FileDescriptor?
    var asksForHelp = false

    static let helpText = """
        usage: keychain-enclaved --listen SOCKET [--state FOLDER] [--user USER] [--accept-from USER] [--tpm TPM]

        Starts an enclave for every daemon of the system service that connects. Started by systemd, or by
        keychaind --system as root: then it makes socket and folder and goes on as a user of its own, with no
        capabilities.

          --listen SOCKET     where to listen; a socket passed by systemd comes first
          --state FOLDER      where the vaults lie; /var/lib/keychain-enclave
          --user USER         the user to run as: a name or a number; _enclave when not given
          --accept-from USER  whose connections it takes; _keychain when not given
          --tpm TPM           what the keys may rest on: auto, none, or how a TPM is reached
          --until FD          end when this descriptor does
          --ready-fd FD       write a byte there when it listens
        """

    init(_ arguments: some Sequence<String>) throws(EnclaveArguments.Mistake) {
        var rest = Array(arguments)[...]
        if rest.first?.hasPrefix("--") == false { socket = rest.popFirst() ?? "" }
        while let name = rest.popFirst() {
            switch name {
            case "--help": asksForHelp = true
            case "--state": state = try Self.value(name, rest.popFirst())
            case "--user": user = try Self.value(name, rest.popFirst())
            case "--accept-from": client = try Self.value(name, rest.popFirst())
            case "--tpm": tpm = try Self.value(name, rest.popFirst())
            case "--until": lifeline = try Self.descriptor(name, rest.popFirst())
            case "--ready-fd": ready = try Self.descriptor(name, rest.popFirst())
            default: throw EnclaveArguments.Mistake(description: "There is no argument \(name) with --listen.")
            }
        }
        guard socket.hasPrefix("/") || asksForHelp, state.hasPrefix("/") else {
            throw EnclaveArguments.Mistake(description: "--listen and --state take absolute paths.")
        }
    }

    private static func value(_ name: String, _ text: String?) throws(EnclaveArguments.Mistake) -> String {
        guard let text, !text.isEmpty else { throw EnclaveArguments.Mistake(description: "\(name) takes a value.") }
        return text
    }

    private static func descriptor(_ name: String, _ text: String?) throws(EnclaveArguments.Mistake) -> FileDescriptor {
        guard let descriptor = FileDescriptor(inherited: text) else {
            throw EnclaveArguments.Mistake(description: "\(name) takes the number of an open descriptor.")
        }
        return descriptor
    }
}
