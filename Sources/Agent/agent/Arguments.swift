import Glibc
import LinuxSystem

/// What the command line asks for.
enum Arguments {
    case help
    case version
    case serve(Options)

    struct Options {
        var channel: UnixSocket
        var pinentry: String
        var loginService: String?
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ problem: String) { description = problem + " See keychain-agent --help." }
    }

    static let helpText = """
        usage: keychain-agent --channel FD [--pinentry PROGRAM] [--login-service NAME]

        Asks the user for a finger, a passcode or a password. Started by keychain-enclaved, not by hand.

          --channel FD          the inherited socket to the enclave
          --pinentry PROGRAM    the path of a pinentry, none, or auto for what is installed
          --login-service NAME  the PAM service that verifies the login's password; keychain, else login
          --help                show this
          --version             show the protocol it speaks
        """

    static let versionText = "keychain-agent (channel 1)"

    init(_ arguments: some Sequence<String>) throws(Mistake) {
        var (channel, pinentry, service) = (String?.none, "auto", String?.none)
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
        self = .serve(Options(channel: socket, pinentry: pinentry, loginService: service))
    }
}
