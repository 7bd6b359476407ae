internal import LinuxSystem

/// A property whose value is in the keychain and nowhere else: read when it is read, written when it is set, removed by
/// nil.
///
///     @KeychainValue("token", service: "org.example.app") var token: String?
///
/// A property cannot throw: where the keychain refuses, it reads as nil and keeps what is there, and ``error`` says
/// why. Who must know uses ``load()`` and ``store(_:)`` through the `$` name.
@propertyWrapper
public struct KeychainValue<Value: Codable & Sendable>: Sendable {
    private let name: String
    private let values: KeychainValues
    private let outcome = Outcome()

    private final class Outcome: Sendable {
        let error = Lock<KeychainError?>(nil)
    }

    /// - Parameters:
    ///   - name: under which the value is kept.
    ///   - service: what it is for.
    public init(_ name: String, service: String) { self.init(name, in: KeychainValues(service: service)) }

    /// - Parameters:
    ///   - name: under which the value is kept.
    ///   - values: where.
    public init(_ name: String, in values: KeychainValues) { (self.name, self.values) = (name, values) }

    /// The value; nil when there is none, or it cannot be had now.
    public var wrappedValue: Value? {
        get { (try? noting { () throws(KeychainError) in try load() }) ?? nil }
        nonmutating set { try? noting { () throws(KeychainError) in try store(newValue) } }
    }

    /// The wrapper itself.
    public var projectedValue: Self { self }

    /// Why the property could not be read or set the last time it was; nil when it could.
    public var error: KeychainError? { outcome.error.withLock { $0 } }

    /// The value; nil when there is none.
    ///
    /// - Throws: ``KeychainError``.
    public func load() throws(KeychainError) -> Value? { try values.value(Value.self, for: name) }

    /// Keeps a value, or removes the one there is.
    ///
    /// - Throws: ``KeychainError``.
    public func store(_ value: Value?) throws(KeychainError) {
        guard let value else { return _ = try values.remove(name) }
        try values.set(value, for: name)
    }

    private func noting<Result>(_ body: () throws(KeychainError) -> Result) throws(KeychainError) -> Result {
        do throws(KeychainError) {
            let result = try body()
            outcome.error.withLock { $0 = nil }
            return result
        } catch {
            outcome.error.withLock { $0 = error }
            throw error
        }
    }
}
