import LinuxSystem
import SecurityCommands

/// Where a command writes what it was asked for: a file, or standard output.
enum OutputFile {
    /// - Parameter path: `-` for standard output.
    static func write(_ bytes: Span<UInt8>, to path: String, _ session: Session) throws(CommandFailure) {
        if path == "-" || path == ":-" { return session.output.write(bytes) }
        do throws(SystemError) { try AtomicFile.replace(path, with: bytes, mode: 0o644) } catch {
            throw CommandFailure(path, error)
        }
    }
}
