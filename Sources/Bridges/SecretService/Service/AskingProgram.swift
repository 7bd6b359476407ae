import Glibc
import KeychainClient
import KeychainWire
import LinuxSystem
import Systemd

/// A program that has its user asked: its name, and where its user is. Everything is the kernel's word on the process,
/// but for its environment, of which a few variables are believed.
struct AskingProgram: Sendable {
    private let process: RunningProcess
    /// The file that it executed when it got the prompt: while the prompt waits it may become another program
    /// (`execve`). It is opened when the prompt's turn comes.
    private let executable: FileDescriptor?
    private var view: ProcessView { ProcessView(process.number) }

    /// Waits for nothing.
    init(_ process: RunningProcess) {
        self.process = process
        let file = try? ProcessView(process.number).holdExecutable()
        executable = process.hasEnded ? nil : file
    }

    /// The parts that the program's own file system and memory have to answer for.
    struct Look: Sendable {
        /// Its name as the daemon shows it to people; nil where it cannot be had.
        let title: String?
        let surroundings: PromptEnvironment?
    }

    /// Looks at the program. May never end: a program that serves its own file system need not answer.
    func look(over connection: any KeychainConnection) -> Look {
        Look(title: title(over: connection), surroundings: ownSurroundings)
    }

    private func title(over connection: any KeychainConnection) -> String? {
        guard let executable, let file = try? FileDescriptor.open("/proc/self/fd/\(executable.number)", O_RDONLY),
            case .identity(let report)? = try? connection.device(.examine, passcodes: [file])
        else { return nil }
        let isUnsigned = report.source == "unsigned" || report.source == "claimed"
        return isUnsigned && !report.mayInspectAllGroups ? "\(report.program) (unsigned)" : report.program
    }

    /// Where the asker's user is. A program without display and terminal has its session's: that of the user's service
    /// manager, as it is now, or else the bridge's own.
    static func surroundings(_ theirs: PromptEnvironment?, bus address: String) -> PromptEnvironment {
        var surroundings = PromptEnvironment.ofThisProcess
        let theirs = theirs ?? PromptEnvironment()
        if languages.contains(where: { theirs.environment[$0] != nil }) {
            surroundings.take(languages, from: theirs.environment)
        }
        if !theirs.terminal.isEmpty || hasDisplay(theirs.environment) {
            surroundings.terminal = theirs.terminal
            surroundings.take(displays, from: theirs.environment)
        } else {
            let session = managersEnvironment(address)
            if hasDisplay(session) { surroundings.take(displays, from: session) }
        }
        return surroundings
    }

    private static let displays = ["TERM", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"]
    private static let languages = ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LC_CTYPE", "LANG"]

    private static func hasDisplay(_ environment: [String: String]) -> Bool {
        ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
    }

    /// Of another user's process nothing is believed.
    private var ownSurroundings: PromptEnvironment? {
        guard let users = try? view.kinship().users, users.allSatisfy({ $0 == CurrentProcess.user }),
            let environment = try? view.environment(Self.displays + Self.languages), !process.hasEnded
        else { return nil }
        let terminal = (try? view.controllingTerminal()) ?? nil
        return PromptEnvironment(terminal: terminal ?? "", environment: environment)
    }

    /// The environment that the user's service manager gives to what it starts now.
    private static func managersEnvironment(_ address: String) -> [String: String] {
        let manager = BusObject(
            "org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager")
        var found: [String: String] = [:]
        guard let bus = try? SystemBus(session: address), let list = try? bus.property(manager, "Environment", "as")
        else { return found }
        try? list.readList("s") { () throws(BusError) in
            let parts = try list.readText().split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { found[String(parts[0])] = String(parts[1]) }
        }
        return found
    }
}

extension PromptEnvironment {
    /// Takes these variables as another environment has them.
    fileprivate mutating func take(_ names: [String], from other: [String: String]) {
        for name in names { environment[name] = other[name] }
    }
}
