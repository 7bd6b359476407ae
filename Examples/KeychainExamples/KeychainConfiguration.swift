import Foundation
import Keychain

/// Where a program looks up its settings by name, the way configuration libraries have it: one provider after the other.
public protocol ConfigurationProvider: Sendable {
    /// What to call it in a log.
    var providerName: String { get }
    /// The value of a setting such as `database.password`; nil where this provider does not know it.
    func value(forKey key: [String]) throws -> String?
}

/// The process's environment: `database.password` is `DATABASE_PASSWORD`.
public struct EnvironmentConfiguration: ConfigurationProvider {
    private let environment: [String: String]
    public let providerName = "environment"

    public init(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        self.environment = environment
    }

    public func value(forKey key: [String]) -> String? {
        environment[key.joined(separator: "_").uppercased()]
    }
}

/// The keychain: `database.password` is the value of that name under the program's service. What is in there is in no
/// environment, no file and no list of processes.
public struct KeychainConfiguration: ConfigurationProvider {
    private let values: KeychainValues
    public let providerName = "keychain"

    /// - Parameter service: what the settings are for, such as the program's identifier.
    public init(service: String) { values = KeychainValues(service: service, protection: .afterFirstUnlock) }

    public func value(forKey key: [String]) throws -> String? {
        try values.value(String.self, for: key.joined(separator: "."))
    }
}

/// The settings of a program: the first provider that knows one has the say.
public struct Configuration: Sendable {
    private let providers: [any ConfigurationProvider]

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
