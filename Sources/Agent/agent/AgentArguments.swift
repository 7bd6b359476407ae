import CommandOptions
import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem

/// The work that the command line asks for.
enum AgentArguments {
    case help
    case version
    case serve(Options)

    struct Options {
        var channel: UnixSocket
        var pinentry: String
        var loginService: String?
        /// The user whose sessions it watches.
        var user = CurrentProcess.user
        var confinement = Confinement.none
    }

    /// Why a command line was not understood.
    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ problem: String) { description = problem + " See keychain-agent --help." }
    }

    static let table = ProgramOptions(
        "keychain-agent",
        "Asks the user for a finger, a passcode or a password. Started by keychain-enclaved, not by hand.",
        options: [
            ProgramOption(
                "--channel", value: "FD", .descriptor, count: .required, "The inherited socket to the enclave."),
            ProgramOption(
                "--pinentry", value: "PROGRAM", .word,
                "The path of a pinentry, none, or auto for an installed one. Default: auto."),
            ProgramOption(
                "--login-service", value: "NAME", .word,
                "The PAM service that verifies the login's password. Default: keychain, else login."),
            ProgramOption(
                "--user", value: "NUMBER", .number(0...UInt64(UInt32.max - 1)),
                "The user whose sessions it watches. Default: that of the process."),
            ProgramOption(
                "--alone",
                """
                Start no program, reach no network and no other process, and see no files but the system's. The \
                enclave gives this option where there is no pinentry to start.
                """),
            ProgramOption(
                "--keep-from", value: "FOLDER", .absolutePath,
                """
                In place of --alone: see all files but those in FOLDER, as do the pinentries it starts, and reach no \
                other process. The enclave gives the keychain's folder, where no login's password is to be verified.
                """),
            ProgramOption("--help", "Show this text."),
            ProgramOption("--version", "Show the release of the program and the protocol it speaks."),
        ])

    static let versionText = Release.text("keychain-agent", "channel \(AgentFormat.version)")

    init(_ words: some Sequence<String>) throws(Mistake) {
        let given: ProgramArguments
        do throws(WrongCommandLine) { given = try ProgramArguments(words, Self.table) } catch {
            throw Mistake(error.problem)
        }
        if given.has("--help") {
            self = .help
        } else if given.has("--version") {
            self = .version
        } else {
            self = .serve(try Options(given))
        }
    }
}

extension AgentArguments.Options {
    fileprivate init(_ given: ProgramArguments) throws(AgentArguments.Mistake) {
        (pinentry, loginService) = (given.text("--pinentry") ?? "auto", given.text("--login-service"))
        guard ["auto", "none"].contains(pinentry) || pinentry.hasPrefix("/") else {
            throw AgentArguments.Mistake("--pinentry takes auto, none, or an absolute path.")
        }
        guard loginService?.contains("/") != true else {
            throw AgentArguments.Mistake("--login-service takes the name of a PAM service.")
        }
        guard let socket = UnixSocket(inherited: given.text("--channel")) else {
            throw AgentArguments.Mistake(
                "--channel FD is missing, or not the number of an open socket: the enclave starts this program.")
        }
        channel = socket
        if let number = given.number("--user").flatMap({ UInt32(exactly: $0) }) { user = number }
        if let folder = given.text("--keep-from") {
            confinement = .away(from: folder)
        } else if given.has("--alone") {
            confinement = .alone
        }
    }
}
