package import LinuxSystem

extension Deadline {
    /// Refuses to begin or continue a request whose caller has stopped waiting.
    ///
    /// - Throws: `errSecNotAvailable` (`keychain.deadline`) when the deadline has passed.
    package func check() throws(Refusal) { if hasPassed { throw .expired } }
}

extension Refusal {
    /// A request that was not done when its caller stopped waiting.
    package static let expired = Refusal(
        .notAvailable, .deadline, "deadline",
        "The request was not done by its deadline and was given up; nothing was changed.",
        do: "Try again, or allow more time (KEYCHAIN_TIMEOUT).")
}
