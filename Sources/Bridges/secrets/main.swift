import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecretService
import Systemd

// keychain-secrets: the Secret Service of the desktop (org.freedesktop.secrets) over the keychain.
let table = BridgeArguments.table

func fail(_ message: String) -> Never {
    let isForProgram = CommandLine.arguments.dropFirst().contains("--json")
    let text = isForProgram ? JSONText.failure(message) : "keychain-secrets: \(ForeignText.shown(message))"
    let line = Array("\(text)\n".utf8)
    unsafe write(STDERR_FILENO, line, line.count)
    exit(EXIT_FAILURE)
}

func environment(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

/// The import that a command line asks for; nil for the service itself.
func importDeed(_ given: ProgramArguments) -> ImportProgram.Deed? {
    if given.has("--undo-import") { return .undo }
    return given.has("--import") ? given.has("--dry-run") ? .show : .add : nil
}

/// Ends in the service from before where the user stays with it.
///
/// - Parameter file: the service file of that one; it may be missing.
func yield(to file: String) throws {
    let choice = try DesktopChoice(environment)
    guard let keyring = try choice.olderKeyring() else { return }
    guard let former = try? FormerService(file) else { throw Refusal.olderKeyring(keyring) }
    try former.begin()
}

/// Where the import that a command line asks for comes from.
func importOrigin(_ given: ProgramArguments) -> ImportProgram.Origin {
    if given.has("--kwallet") { return .wallet }
    let file = given.text("--keyring-file")
    guard file != nil || given.has("--keyring-files") else { return .service }
    return .file(file, password: KeyringPassword(descriptor: given.text("--password-fd")))
}

let language = UserLanguage(environment)

/// A marked program takes no address from who started it.
func busAddress(_ given: String?) -> String? {
    if CurrentProcess.isMarked { return "unix:path=/run/user/\(getuid())/bus" }
    if let given { return given }
    return unsafe getenv("DBUS_SESSION_BUS_ADDRESS").map { unsafe String(cString: $0) }
}

do {
    let given = try ProgramArguments(CommandLine.arguments.dropFirst(), table)
    if given.has("--help") {
        print(table.help)
    } else if given.has("--version") {
        print(Release.text("keychain-secrets", "Secret Service draft 0.2"))
    } else {
        guard let address = busAddress(given.text("--bus")) else {
            fail("There is no session bus: DBUS_SESSION_BUS_ADDRESS is not set. Start it inside of a session.")
        }
        if given.has("--owner") {
            print(try NameOwner.executable(onBus: address) ?? "")
            exit(EXIT_SUCCESS)
        }
        // The other service begins as the bus would have started it.
        if let file = given.text("--yield-to") { try yield(to: file) }
        try ProcessHardening.forbidCores()
        try ProcessHardening.raiseLockedMemoryLimit()
        _ = try ProcessLimits.raiseOpenFilesLimit()
        umask(0o077)
        if let deed = importDeed(given) {
            let work = try ImportProgram(address: address, in: given.has("--json") ? nil : language, environment)
            let (lines, isComplete) = try work.run(deed, from: importOrigin(given))
            print(lines.joined(separator: "\n"))
            exit(isComplete ? EXIT_SUCCESS : EXIT_FAILURE)
        }
        signal(SIGPIPE, SIG_IGN)
        try BridgeProgram(address: address).run()
    }
} catch let error as Refusal {
    fail("\(error.problem) \(error.remedy)")
} catch let error as ImportFailure {
    fail(error.text(language))
} catch let error as BusFailure {
    fail(error.description)
} catch let error as BusError {
    fail("The session's bus cannot be used (error \(error.code)). Start the program inside of a session.")
} catch { fail("\(error)") }
