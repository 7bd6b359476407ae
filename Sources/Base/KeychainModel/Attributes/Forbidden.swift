extension Refusal {
    /// The refusal of a request that requires authentication (`errSecAuthNeeded`) where prompts are not allowed
    /// (semantics B.4).
    package var forbiddenToAsk: Refusal {
        Refusal(.interactionNotAllowed, rule, subject, "\(problem) The user may not be asked now.", do: remedy)
    }
}
