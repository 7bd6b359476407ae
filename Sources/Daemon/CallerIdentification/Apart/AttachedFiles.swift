import LinuxSystem

/// The files that came with one question. Its answer leaves when they are closed, so that the daemon knows how many of
/// a user's are not: who serves a file's file system sees which process closes it, and may hold up this one alone.
final class AttachedFiles: Sendable {
    private struct State {
        var user: UInt32 = 0
        var open = 0
        var answer: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    private let files: ForeignFiles

    init(closedBy files: ForeignFiles) { self.files = files }

    /// The user whose they are, by the question.
    func belong(to user: UInt32) { state.withLock { $0.user = user } }

    func adopt(_ number: CInt) -> FileDescriptor {
        if ForeignFiles.closesAtOnce(number) { return FileDescriptor(owning: number) }
        state.withLock { $0.open += 1 }
        return FileDescriptor(owning: number) { [self] number in
            files.close(number, of: state.withLock { $0.user }) { [self] in release() }
        }
    }

    /// Answers now, or when the last file is closed.
    func whenClosed(_ answer: @escaping @Sendable () -> Void) {
        let isNow = state.withLock { state in
            if state.open > 0 { state.answer = answer }
            return state.open == 0
        }
        if isNow { answer() }
    }

    private func release() {
        let answer = state.withLock { state -> (@Sendable () -> Void)? in
            state.open -= 1
            return state.open == 0 ? state.answer.take() : nil
        }
        answer?()
    }
}
