import KeychainTesting

/// The place of the engine of a test's keychain. Programs must not notice a difference, so the whole suite runs in each
/// deployment.
enum Deployment: CaseIterable {
    /// In this process, over a store in memory.
    case embedded
    /// Behind a socket, as a daemon serves it.
    case served
    /// In this process and behind a socket in turn, over the same store.
    case mixed

    func makeKeychain(accessGroups: [String]) throws -> TestKeychain {
        switch self {
        case .embedded: try TestKeychain(accessGroups: accessGroups)
        case .served: try TestKeychain(accessGroups: accessGroups, transport: ServedConnection.serve)
        case .mixed: try TestKeychain(accessGroups: accessGroups, transport: MixedConnection.mix)
        }
    }
}

/// Runs `body` as a program with these access groups, on a fresh keychain of every deployment.
func withKeychain(
    accessGroups: [String] = ["TEAM.program"], _ body: (TestKeychain) throws -> Void
) throws {
    for deployment in Deployment.allCases {
        let keychain = try deployment.makeKeychain(accessGroups: accessGroups)
        try keychain.run { try body(keychain) }
    }
}
