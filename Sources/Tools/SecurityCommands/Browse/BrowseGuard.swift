import CommandOptions
import Glibc
import LinuxSystem
import TerminalScreen

/// The parent of the viewer. When the viewer is killed, its parent overwrites what it has drawn and gives the terminal
/// its settings back.
struct BrowseGuard {
    private let session: Session
    private let options: BrowseOptions
    private let terminal: RawTerminal

    /// Says to the viewer which process looks after it.
    private static let variable = "KEYCHAIN_BROWSE_PARENT"

    init(_ session: Session, _ options: BrowseOptions, _ terminal: Terminal) {
        (self.session, self.options, self.terminal) = (session, options, RawTerminal(terminal))
    }

    /// Whether this process is to be the parent. One whose commands come from standard input draws by itself.
    static func isNeeded(_ session: Session) -> Bool {
        session.isOfProcess && !session.isInteractive
            && session.environment(variable) != "\(CurrentProcess.parent)"
    }

    /// Runs the viewer as a child.
    ///
    /// - Throws: ``CommandFailure/ended(_:)`` with its status; a failure when it cannot be started or was killed.
    func run() throws(CommandFailure) {
        let end: WatchedChild.End
        do throws(SystemError) {
            try terminal.remember()
            end = try watch()
        } catch { throw CommandFailure("browse", error) }
        switch end {
        case .exited(let status): throw .ended(status)
        case .killed(let signal):
            cleanUp()
            throw .failed(
                "browse: the viewer was ended by signal \(signal)", cause: "The screen was erased.",
                remedy: "Nothing of the keychain was changed by that.")
        }
    }

    private func watch() throws(SystemError) -> WatchedChild.End {
        let signals = try SignalDescriptor([SIGCHLD, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT])
        CurrentProcess.watchChildren()
        // Without this process the viewer itself hides the value and gives the terminal back.
        let child = try execution().start(.init(), signals, deathSignal: SIGTERM)
        while true {
            try signals.descriptor.wait(for: .readable, deadline: .never)
            while let (signal, isOfKernel) = signals.next() {
                if signal == SIGCHLD {
                    if let end = follow(child) { return end }
                } else if !isOfKernel || signal == SIGCONT {
                    child.send(signal)
                }
            }
        }
    }

    /// - Returns: how the child ended; nil while it lives. When it has stopped, this process stops too.
    private func follow(_ child: WatchedChild) -> WatchedChild.End? {
        while let change = child.change() {
            switch change {
            case .ended(let end): return end
            case .stopped(let signal):
                // The viewer does not stop itself by this signal. At a prompt it has left the terminal already.
                if signal == SIGSTOP, terminal.isRaw { cleanUp() }
                CurrentProcess.stop()
                child.send(SIGCONT)
            }
        }
        return nil
    }

    private func execution() throws(SystemError) -> ProgramExecution {
        var environment = ChildEnvironment(ProcessEnvironment.variables)
        environment.set(Self.variable, Argument("\(CurrentProcess.identifier)").bytes)
        let words = ["security"] + (session.isForSystem ? ["-S"] : []) + ["browse"] + options.words
        return ProgramExecution(
            try .open("/proc/self/exe", O_RDONLY), words.map { Argument($0).bytes }, environment: environment.texts)
    }

    private func cleanUp() {
        let rows = terminal.size?.rows ?? 24
        let text = Control.leave(rows: rows, hasSecondScreen: TerminalTraits(session).hasSecondScreen)
        try? terminal.device.writeFully(Array(text.utf8).span, deadline: .after(milliseconds: 1000))
        terminal.giveBack(keepsSettings: true)
    }
}
