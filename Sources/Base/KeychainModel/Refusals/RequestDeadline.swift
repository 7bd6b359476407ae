package import LinuxSystem

extension Deadline {
    /// Refuses to begin, or to go on with, what nobody waits for any more.
    ///
    /// - Throws: `errSecNotAvailable` (`keychain.deadline`) when the moment is over.
    package func check() throws(Refusal) { if hasPassed { throw .expired } }
}

extension Refusal {
    /// A request that was not done when its caller gave up waiting.
    package static let expired = Refusal(
        .notAvailable, .deadline, "deadline",
        "The request was not done by its deadline and was given up; nothing was changed.",
        do: "Try again, or allow more time (KEYCHAIN_TIMEOUT).")
}
