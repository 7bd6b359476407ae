import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem

/// The options of the command line.
enum AgentArguments {
    case help
    case version
    case serve(Options)

    struct Options {
        var channel: UnixSocket
        var pinentry: String
        var loginService: String?
        var confinement = Confinement.none
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ problem: String) { description = problem + " See keychain-agent --help." }
    }

    static let helpText = """
        usage: keychain-agent --channel FD [--pinentry PROGRAM] [--login-service NAME]
                              [--alone | --keep-from FOLDER]

        Asks the user for a finger, a passcode or a password. Started by keychain-enclaved, not by hand.

          --channel FD          the inherited socket to the enclave
          --pinentry PROGRAM    the path of a pinentry, none, or auto for what is installed
          --login-service NAME  the PAM service that verifies the login's password; keychain, else login
          --alone               start no program, and see no files but the system's
          --keep-from FOLDER    see all files but those in there, and pinentries no more than that
          --help                show this
          --version             show its release and the protocol it speaks
        """

    static let versionText = Release.text("keychain-agent", "channel \(AgentFormat.version)")

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var (channel, pinentry, service) = (String?.none, "auto", String?.none)
        var confinement = Confinement.none
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--help":
                self = .help
                return
            case "--version":
                self = .version
                return
            case "--channel": channel = rest.popFirst()
            case "--pinentry": pinentry = rest.popFirst() ?? ""
            case "--login-service": service = rest.popFirst()
            case "--alone": confinement = .alone
            case "--keep-from": confinement = .away(from: try Self.folder(rest.popFirst()))
            default: throw Mistake("There is no argument \(argument).")
            }
        }
        guard ["auto", "none"].contains(pinentry) || pinentry.hasPrefix("/") else {
            throw Mistake("--pinentry takes auto, none, or an absolute path.")
        }
        guard service.map({ !$0.isEmpty && !$0.contains("/") }) ?? true else {
            throw Mistake("--login-service takes the name of a PAM service.")
        }
        guard let socket = UnixSocket(inherited: channel) else {
            throw Mistake(
                "--channel FD is missing, or not the number of an open socket: the enclave starts this program.")
        }
        self = .serve(
            Options(channel: socket, pinentry: pinentry, loginService: service, confinement: confinement))
    }

    private static func folder(_ text: String?) throws(Mistake) -> String {
        guard let text, text.hasPrefix("/") else { throw Mistake("--keep-from takes an absolute path.") }
        return text
    }
}
