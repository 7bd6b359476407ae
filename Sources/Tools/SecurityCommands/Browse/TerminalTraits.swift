import Glibc
import LinuxSystem

/// The abilities of the terminal, as far as its environment says.
struct TerminalTraits {
    /// Whether what stood on the terminal before comes back at the end, and what was drawn is gone.
    let hasSecondScreen: Bool
    let frame: FrameCharacters

    /// Terminals that keep everything on their one screen.
    private static let withoutSecondScreen = ["linux", "vt100", "vt102", "vt220", "ansi", "cons25", "sun"]

    init(_ session: Session) {
        let term = session.environment("TERM") ?? ""
        hasSecondScreen = !Self.withoutSecondScreen.contains(term) && Self.multiplexerHasSecondScreen(session)
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { session.environment($0) }.first { !$0.isEmpty }
        let isUTF8 = (locale ?? "").uppercased().replacing("-", with: "").contains("UTF8")
        frame = isUTF8 && term != "linux" && term != "vt100" ? .lines : .ascii
    }

    /// Whether tmux gives its programs a second screen: its user may have turned that off.
    private static func multiplexerHasSecondScreen(_ session: Session) -> Bool {
        guard let socket = session.environment("TMUX"), !socket.isEmpty else { return true }
        guard let (reader, writer) = try? FileDescriptor.pipe(),
            let nothing = try? FileDescriptor.open("/dev/null", O_RDWR),
            let child = try? ChildProcess.start(
                "/usr/bin/tmux", ["show-options", "-gwv", "alternate-screen"],
                environment: ["TMUX": socket, "PATH": "/usr/bin:/bin"], input: nothing, output: writer, errors: nothing)
        else { return false }
        guard child.reap() == 0 else { return false }
        let bytes = SecretBytes(count: 8)
        let count = bytes.withMutableSpan { (span) in (try? reader.read(into: &span)) ?? nil } ?? 0
        return bytes.withSpan { $0.text(0, count) } == "on\n"
    }
}
