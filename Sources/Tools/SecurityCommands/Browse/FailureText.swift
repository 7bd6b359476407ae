/// A failure in three lines.
struct FailureText: Equatable {
    let problem, cause, remedy: String

    init(_ failure: CommandFailure) {
        problem = failure.message ?? ""
        (cause, remedy) = failure.explanation
    }
}
