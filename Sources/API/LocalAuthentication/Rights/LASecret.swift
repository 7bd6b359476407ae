/// The secret that a right guards.
public final class LASecret: NSObject, Sendable {
    private let right: LAPersistedRight

    init(_ right: LAPersistedRight) { self.right = right }

    /// Loads the secret.
    ///
    /// - Parameter completion: called once, on a queue of the module, with the secret, or with an error: `LAError` with
    ///   `notInteractive` when the right is not authorized; `errSecItemNotFound` when it was saved without a secret.
    public func loadData(completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        load {
            let (data, error) = $0.halves
            completion(data, error)
        }
    }

    /// The secret, loaded as by ``loadData(completion:)``.
    public var rawData: Data { get async throws { try await awaiting { load($0) } } }

    private func load(_ done: @escaping @Sendable (Result<Data, any Error>) -> Void) {
        inBackground({ [right] in try right.whileAuthorized { try right.items.secret(in: $0) } }, done)
    }
}
