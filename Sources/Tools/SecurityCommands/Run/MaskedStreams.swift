import LinuxSystem

/// Which of a command's streams are looked through, and how it gets them.
struct MaskedStreams {
    enum Way {
        /// The command has the stream of this process.
        case own
        case pipe
        case terminal
    }

    let input, output, errors: FileDescriptor
    private(set) var (outputWay, errorsWay) = (Way.own, Way.own)
    /// Both go to one file; one pipe keeps their order.
    let areOne: Bool

    /// - Parameter hasSecrets: whether there is anything to mask.
    init(_ masking: RunRequest.Masking, _ session: Session, hasSecrets: Bool) {
        (input, output) = (session.input.descriptor, session.output.descriptor)
        errors = session.diagnostics.descriptor
        if let one = try? FileStatus(of: output), let other = try? FileStatus(of: errors) {
            areOne = one.isSameFile(as: other)
        } else {
            areOne = false
        }
        guard hasSecrets, masking != .never else { return }
        outputWay = Self.way(masking, session.output.isTerminal)
        errorsWay = Self.way(masking, session.diagnostics.isTerminal)
    }

    var isNeeded: Bool { outputWay != .own || errorsWay != .own }
    /// The terminal that a pseudo-terminal stands for; nil when none does.
    var terminal: FileDescriptor? {
        outputWay == .terminal ? output : errorsWay == .terminal ? errors : nil
    }

    private static func way(_ masking: RunRequest.Masking, _ isTerminal: Bool) -> Way {
        if !isTerminal { return .pipe }
        return masking == .always ? .terminal : .own
    }
}
