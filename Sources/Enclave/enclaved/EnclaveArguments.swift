import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem

/// The options of the command line.
enum EnclaveArguments {
    case help
    case version
    case serve(Options)
    /// To start enclaves for the daemons of the system service.
    case listen(ListenerOptions)

    struct Options {
        var vault: VaultPlace
        var channel: UnixSocket
        var tpm: TPMChoice
        var agent: AgentChoice
        var pinentry: String
        var acceptsLoginPassword: Bool
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
    }

    static let helpText = """
        usage: keychain-enclaved --vault FILE --channel FD [--create] [--tpm TPM] [--agent PATH] [--pinentry PROGRAM]
                                 [--login-password]
               keychain-enclaved --listen SOCKET [...]

        Guards the keys of a keychain. Started by keychaind, not by hand.

          --vault FILE   the file that holds the keys
          --channel FD   the inherited socket to the daemon
          --create       make a vault where there is none: only for a keychain without items
          --tpm TPM      what the keys may rest on: none, auto, or how a TPM is reached; none when not given
          --agent PATH   the program that asks the user, or none; keychain-agent in this program's folder when not given
          --agents FD    in place of --agent: the socket over which the listener gives agents
          --pinentry PROGRAM
                         what the agent asks for passcodes with: a path, none, or auto
          --login-password
                         the password of the user's login may stand in where no passcode is set
          --vaults FOLDER
                         in place of --vault and --create: the first words of the system service's master say whose
                         vault in the folder it is
          --listen       start an enclave for every connection; see keychain-enclaved --listen --help
          --help         show this
          --version      show its release and the formats it knows
        """

    static let versionText = Release.text(
        "keychain-enclaved", "vault formats 1 to 3, channel \(EnclaveChannelFormat.version)")

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var rest = Array(arguments)[...]
        if rest.first == "--listen" {
            self = .listen(try ListenerOptions(rest.dropFirst()))
            return
        }
        var values = Values()
        while let argument = rest.popFirst() {
            switch argument {
            case "--help":
                self = .help
                return
            case "--version":
                self = .version
                return
            default: try values.take(argument, &rest)
            }
        }
        self = .serve(try values.options())
    }

    /// The values of the options so far.
    private struct Values {
        var (vault, vaults, channel): (String?, String?, String?) = (nil, nil, nil)
        var (createIfMissing, acceptsLoginPassword) = (false, false)
        var tpm = TPMChoice.none
        var (agent, pinentry) = (AgentChoice.beside, "auto")

        mutating func take(_ argument: String, _ rest: inout ArraySlice<String>) throws(Mistake) {
            switch argument {
            case "--create": createIfMissing = true
            case "--vault": vault = rest.popFirst()
            case "--vaults": vaults = rest.popFirst()
            case "--tpm": tpm = TPMChoice(rest.popFirst() ?? "none")
            case "--agent": agent = AgentChoice(rest.popFirst() ?? "none")
            case "--agents":
                guard let socket = UnixSocket(inherited: rest.popFirst()) else {
                    throw Mistake(description: "--agents FD takes the number of an open socket.")
                }
                agent = .given(AgentQueue(socket))
            case "--pinentry": pinentry = rest.popFirst() ?? "none"
            case "--login-password": acceptsLoginPassword = true
            case "--channel": channel = rest.popFirst()
            default: throw Mistake(description: "There is no argument \(argument). See keychain-enclaved --help.")
            }
        }

        func options() throws(Mistake) -> Options {
            guard let place = VaultPlace(vault, createIfMissing, folder: vaults) else {
                throw Mistake(
                    description: "--vault FILE is missing, or not an absolute path. See keychain-enclaved --help.")
            }
            guard let socket = UnixSocket(inherited: channel) else {
                throw Mistake(
                    description: "--channel FD is missing, or not the number of an open socket: "
                        + "let keychaind start this program.")
            }
            return Options(
                vault: place, channel: socket, tpm: tpm, agent: agent, pinentry: pinentry,
                acceptsLoginPassword: acceptsLoginPassword)
        }
    }
}
