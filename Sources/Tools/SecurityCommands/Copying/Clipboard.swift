import DER
import Glibc
import KeychainModel
import LinuxSystem

/// The clipboard of the user's screen. A program of its own owns the selection as long as the secret may be pasted;
/// its end empties the clipboard. Nothing reads what was in the clipboard before.
struct Clipboard {
    private let session: Session
    /// How long a secret stays in it.
    static let usualSeconds = 45

    init(_ session: Session) { self.session = session }

    /// The programs that own a selection, by the variable that says that there is their kind of screen.
    private struct Tool {
        let variable: String
        let name: String
        let words, wordsOnce: [String]
    }

    private static let tools = [
        Tool(
            variable: "WAYLAND_DISPLAY", name: "wl-copy", words: ["--foreground"],
            wordsOnce: ["--foreground", "--paste-once"]),
        Tool(
            variable: "DISPLAY", name: "xclip", words: ["-quiet", "-selection", "clipboard"],
            wordsOnce: ["-quiet", "-selection", "clipboard", "-loops", "1"]),
    ]

    /// The variables that the program needs to find the screen.
    private static let variables = [
        "DISPLAY", "HOME", "LANG", "LC_ALL", "PATH", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
    ]

    /// Whether there is a screen whose clipboard could be filled.
    var hasScreen: Bool { Self.tools.contains { !(session.environment($0.variable) ?? "").isEmpty } }

    /// Copies a secret.
    ///
    /// The owner is started by timeout(1), which ends it even when this command has ended long before. The secret
    /// passes through a pipe.
    ///
    /// - Parameters:
    ///   - seconds: how long it stays.
    ///   - isOnce: whether it can be pasted only once.
    ///   - title: what it is, in a sentence that is printed; nil for no sentence.
    /// - Throws: a failure where there is no such program, or it ends at once.
    func copy(_ secret: SecretBytes, for seconds: Int, once isOnce: Bool, _ title: String?) throws(CommandFailure) {
        let tool = try found()
        guard let timer = session.path(ofProgram: "timeout") else {
            throw .failed("timeout is not installed", remedy: "Install coreutils: it ends what owns the clipboard.")
        }
        let words = ["-k", "1", "\(seconds)", tool.path] + (isOnce ? tool.tool.wordsOnce : tool.tool.words)
        do throws(SystemError) {
            try start(timer, words, secret, named: tool.tool.name)
        } catch {
            throw CommandFailure(tool.tool.name, error)
        }
        guard let title else { return }
        reportEnd(of: title, isOnce ? "can be pasted once, within \(seconds) s" : "clears in \(seconds) s")
    }

    private func start(
        _ timer: String, _ words: [String], _ secret: SecretBytes, named name: String
    ) throws(SystemError) {
        let pipe = try FileDescriptor.pipe()
        let nowhere = try FileDescriptor.open("/dev/null", O_RDWR)
        let variables = Dictionary(
            uniqueKeysWithValues: Self.variables.compactMap { key in session.environment(key).map { (key, $0) } })
        let owner = try ChildProcess.start(
            timer, words, environment: variables, input: pipe.reader, output: nowhere, errors: nowhere)
        try secret.withSpan { (bytes) throws(SystemError) in
            try pipe.writer.writeFully(bytes, deadline: .after(milliseconds: Self.patience))
        }
        try Self.checkThatItStays(owner, name, after: pipe.writer)
    }

    private static let patience = 5000
    /// A program that cannot reach its screen has ended by then.
    private static let trial = 300

    /// - Parameter writer: closed by the caller's return; the program has its end of the input then.
    private static func checkThatItStays(
        _ owner: ChildProcess, _ name: String, after writer: FileDescriptor
    ) throws(SystemError) {
        let end = try owner.endDescriptor()
        do { try end.wait(for: .readable, deadline: .after(milliseconds: trial)) } catch {
            if error.code == ETIMEDOUT { return }
            throw error
        }
        guard owner.reap() != 0 else { return }
        throw SystemError(code: ENODEV, call: name, advice: "it has ended at once")
    }

    private func found() throws(CommandFailure) -> (tool: Tool, path: String) {
        let screens = Self.tools.filter { !(session.environment($0.variable) ?? "").isEmpty }
        for tool in screens { if let path = session.path(ofProgram: tool.name) { return (tool, path) } }
        guard let first = screens.first else {
            throw .failed(
                "there is no clipboard here", cause: "Neither WAYLAND_DISPLAY nor DISPLAY is set.",
                remedy: "--osc52 has the terminal copy, where it does that; `security show -p` shows the value.")
        }
        throw .failed(
            "\(first.name) is not installed", cause: "The clipboard of this screen is filled by it.",
            remedy: first.name == "xclip" ? "Install xclip." : "Install wl-clipboard.")
    }

    private func reportEnd(of title: String, _ end: String) {
        guard !session.isQuiet, !session.writesJSON else { return }
        session.output.write(shown: session.text("Copied \(title); the clipboard \(end)."))
    }
}

/// The clipboard behind a terminal, by the control sequence OSC 52.
extension Clipboard {
    /// Has the terminal copy a secret. Nobody says whether it does, and nothing clears it afterwards.
    ///
    /// - Throws: a failure without a terminal.
    func copyByTerminal(_ secret: SecretBytes, _ title: String) throws(CommandFailure) {
        try sendByTerminal(secret)
        guard !session.isQuiet, !session.writesJSON else { return }
        session.output.write(
            shown: session.text("Asked the terminal to copy \(title). Nothing clears it: copy something else."))
    }

    /// The same without a sentence about it.
    func sendByTerminal(_ secret: SecretBytes) throws(CommandFailure) {
        guard let terminal = session.terminal else {
            throw .failed("there is no terminal to copy with", remedy: "Give the command at a terminal.")
        }
        let sequence = SecretBuffer(capacity: secret.count * 2)
        sequence.append(utf8: "\u{1B}]52;c;")
        secret.withSpan { sequence.append(base64: $0) }
        sequence.append(utf8: "\u{07}")
        do throws(SystemError) {
            try sequence.withSpan { (bytes) throws(SystemError) in
                try terminal.device.writeFully(bytes, deadline: .after(milliseconds: Self.patience))
            }
        } catch { throw CommandFailure("the terminal", error) }
    }
}
