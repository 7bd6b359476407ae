extension Refusal {
    /// What needs the user (`errSecAuthNeeded`), where he may not be asked (semantics B.4).
    package var forbiddenToAsk: Refusal {
        Refusal(.interactionNotAllowed, rule, subject, "\(problem) Nobody may be asked now.", do: remedy)
    }
}
