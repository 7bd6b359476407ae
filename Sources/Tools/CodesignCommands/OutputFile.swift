import CommandOptions
import KeychainModel
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

extension ParsedArguments {
    /// How often a switch is given.
    func count(_ letter: Character) -> Int { values.filter { $0.letter == letter }.count }

    /// The values of an option that may be given several times.
    func all(_ letter: Character) -> [String] { values.filter { $0.letter == letter }.compactMap { $0.value?.text } }
}

extension CommandFailure {
    /// A refusal about a file or a key, with what to do about it.
    init(_ subject: String, _ refusal: Refusal) { self = .failed("\(subject): \(refusal.problem) \(refusal.remedy)") }
}
