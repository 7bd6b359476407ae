/// The store of a program's rights. Each right has a key in the enclave and, if the program gives one, a secret.
///
/// ```swift
/// let right = try await LARightStore.shared.saveRight(LARight(), identifier: "token", secret: token)
/// try await right.authorize(localizedReason: "to send the report")
/// let token = try await right.secret.rawData
/// ```
///
/// Errors are those of the keychain, in `NSOSStatusErrorDomain`. An empty identifier gives `errSecParam`; the functions
/// name the others. Completion handlers are called once, on a queue of the module.
///
/// Source: Apple, `LARightStore`; rule authentication.right.saved.
public final class LARightStore: NSObject, Sendable {
    /// The store of the calling program.
    public static let shared = LARightStore()

    private override init() {}

    // MARK: - Finding

    /// Finds a saved right. It asks nobody.
    ///
    /// - Parameter completion: gets the right, or `errSecItemNotFound`.
    public func right(
        forIdentifier identifier: String, completion: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) { report(finding(identifier), completion) }

    /// Finds a saved right. It asks nobody.
    ///
    /// - Throws: `errSecItemNotFound` when there is none.
    public func right(forIdentifier identifier: String) async throws -> LAPersistedRight {
        try await awaiting { inBackground(finding(identifier), $0) }
    }

    private func finding(_ identifier: String) -> @Sendable () throws -> LAPersistedRight {
        { try LAPersistedRight(RightItems(identifier)) }
    }

    // MARK: - Saving

    /// Saves a right with a new key. It asks nobody.
    ///
    /// - Parameters:
    ///   - identifier: a name that no saved right of the program has.
    ///   - completion: gets the saved right, or an error: `errSecDuplicateItem` for a name in use, `errSecAuthFailed`
    ///     when nobody could ever authorize the right, as without a passcode.
    public func saveRight(
        _ right: LARight, identifier: String, completion: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) { report(saving(right, identifier, nil), completion) }

    /// Saves a right with a new key and a secret. It asks nobody.
    ///
    /// - Parameters:
    ///   - identifier: a name that no saved right of the program has.
    ///   - secret: the secret that the right guards; at most 1 MiB.
    ///   - completion: as by ``saveRight(_:identifier:completion:)``.
    public func saveRight(
        _ right: LARight, identifier: String, secret: Data,
        completion: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) { report(saving(right, identifier, secret), completion) }

    /// Saves a right, as the function with a completion handler does.
    @discardableResult
    public func saveRight(_ right: LARight, identifier: String) async throws -> LAPersistedRight {
        try await awaiting { inBackground(saving(right, identifier, nil), $0) }
    }

    /// Saves a right and a secret, as the function with a completion handler does.
    @discardableResult
    public func saveRight(_ right: LARight, identifier: String, secret: Data) async throws -> LAPersistedRight {
        try await awaiting { inBackground(saving(right, identifier, secret), $0) }
    }

    private func saving(
        _ right: LARight, _ identifier: String, _ secret: Data?
    ) -> @Sendable () throws -> LAPersistedRight {
        {
            let items = try RightItems(identifier)
            try items.add(right.requirement.flags, secret: secret)
            return try LAPersistedRight(items)
        }
    }

    // MARK: - Removing

    /// Removes a saved right, its key and its secret. It asks nobody.
    ///
    /// - Parameter completion: gets nil, or `errSecItemNotFound`.
    public func removeRight(_ right: LAPersistedRight, completion: @escaping @Sendable ((any Error)?) -> Void) {
        inBackground(removing(right)) { completion($0.halves.error) }
    }

    /// Removes a saved right by its name. It asks nobody.
    ///
    /// - Parameter completion: gets nil, or `errSecItemNotFound`.
    public func removeRight(
        forIdentifier identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) { inBackground(removing(identifier)) { completion($0.halves.error) } }

    /// Removes all saved rights of the program. It asks nobody, and succeeds when there is none.
    public func removeAllRights(completion: @escaping @Sendable ((any Error)?) -> Void) {
        inBackground({ try RightItems.removeAll() }) { completion($0.halves.error) }
    }

    /// Removes a saved right, as the function with a completion handler does.
    public func removeRight(_ right: LAPersistedRight) async throws {
        try await awaiting { inBackground(removing(right), $0) }
    }

    /// Removes a saved right by its name, as the function with a completion handler does.
    public func removeRight(forIdentifier identifier: String) async throws {
        try await awaiting { inBackground(removing(identifier), $0) }
    }

    /// Removes all saved rights, as the function with a completion handler does.
    public func removeAllRights() async throws {
        try await awaiting { inBackground({ try RightItems.removeAll() }, $0) }
    }

    private func removing(_ right: LAPersistedRight) -> @Sendable () throws -> Void {
        {
            try right.items.remove()
            right.authorization.giveBack(right)
        }
    }

    private func removing(_ identifier: String) -> @Sendable () throws -> Void {
        { try RightItems(identifier).remove() }
    }

    private func report(
        _ body: @escaping @Sendable () throws -> LAPersistedRight,
        _ completion: @escaping @Sendable (LAPersistedRight?, (any Error)?) -> Void
    ) {
        inBackground(body) {
            let (right, error) = $0.halves
            completion(right, error)
        }
    }
}
