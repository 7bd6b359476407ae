import Foundation
import Keychain

/// Where a program looks up its settings by name, the way configuration libraries have it: one provider after the
/// other.
public protocol ConfigurationProvider: Sendable {
    /// What to call it in a log.
    var providerName: String { get }
    /// The value of a setting such as `database.password`; nil where this provider does not know it.
    func value(forKey key: [String]) throws -> String?
}

/// The process's environment: `database.password` is `DATABASE_PASSWORD`.
public struct EnvironmentConfiguration: ConfigurationProvider {
    private let environment: [String: String]
    /// "environment".
    public let providerName = "environment"

    /// Another environment than the process's own is for tests.
    public init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    /// The variable of that name.
    public func value(forKey key: [String]) -> String? {
        environment[key.joined(separator: "_").uppercased()]
    }
}

/// The keychain: `database.password` is the value of that name under the program's service. What is in there is in no
/// environment, no file and no list of processes.
public struct KeychainConfiguration: ConfigurationProvider {
    private let values: KeychainValues
    /// "keychain".
    public let providerName = "keychain"

    /// - Parameter service: what the settings are for, such as the program's identifier.
    public init(service: String) { values = KeychainValues(service: service, protection: .afterFirstUnlock) }

    /// The value of that name; what the keychain refuses is an error, not a setting that is missing.
    public func value(forKey key: [String]) throws -> String? {
        try values.value(String.self, for: key.joined(separator: "."))
    }
}

/// The settings of a program: the first provider that knows one has the say.
public struct Configuration: Sendable {
    private let providers: [any ConfigurationProvider]

    /// - Parameter providers: in the order in which they are asked.
    public init(_ providers: any ConfigurationProvider...) { self.providers = providers }

    /// The value of a setting; nil where nobody knows it.
    public func string(_ name: String) throws -> String? {
        let key = name.split(separator: ".").map(String.init)
        for provider in providers {
            if let value = try provider.value(forKey: key) { return value }
        }
        return nil
    }
}
