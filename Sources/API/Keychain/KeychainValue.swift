internal import LinuxSystem

/// A property whose value is only in the keychain. Reading it reads the item, setting it writes the item, and nil
/// removes the item.
///
///     @KeychainValue("token", service: "org.example.app") var token: String?
///
/// A property cannot throw. When the keychain refuses, it reads as nil, keeps the stored value, and sets ``error``. A
/// program that must know uses ``load()`` and ``store(_:)`` through the `$` name.
@propertyWrapper
public struct KeychainValue<Value: Codable & Sendable>: Sendable {
    private let name: String
    private let values: KeychainValues
    private let outcome = Outcome()

    private final class Outcome: Sendable {
        let error = Lock<KeychainError?>(nil)
    }

    /// - Parameters:
    ///   - name: the name of the value.
    ///   - service: the service of the value.
    public init(_ name: String, service: String) { self.init(name, in: KeychainValues(service: service)) }

    /// - Parameters:
    ///   - name: the name of the value.
    ///   - values: the values among which it is.
    public init(_ name: String, in values: KeychainValues) { (self.name, self.values) = (name, values) }

    /// The value; nil when there is none or it cannot be read now.
    public var wrappedValue: Value? {
        get { (try? noting { () throws(KeychainError) in try load() }) ?? nil }
        nonmutating set { try? noting { () throws(KeychainError) in try store(newValue) } }
    }

    /// The wrapper itself.
    public var projectedValue: Self { self }

    /// The error of the last access to the property; nil when it succeeded.
    public var error: KeychainError? { outcome.error.withLock { $0 } }

    /// The value; nil when there is none.
    ///
    /// - Throws: ``KeychainError``.
    public func load() throws(KeychainError) -> Value? { try values.value(Value.self, for: name) }

    /// Stores a value; nil removes it.
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
