import Foundation
import Keychain

/// A source of a program's settings by name. As in configuration libraries, several providers are asked in order.
public protocol ConfigurationProvider: Sendable {
    /// The name of the provider in a log.
    var providerName: String { get }
    /// The value of a setting such as `database.password`; nil when this provider does not know it.
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

/// The keychain: `database.password` is the value of that name under the program's service. The value is in no
/// environment, no file and no list of processes.
public struct KeychainConfiguration: ConfigurationProvider {
    private let values: KeychainValues
    /// "keychain".
    public let providerName = "keychain"

    /// - Parameter service: the service of the settings, such as the program's identifier.
    public init(service: String) { values = KeychainValues(service: service, protection: .afterFirstUnlock) }

    /// The value of that name. A refusal of the keychain is an error, not a missing setting.
    public func value(forKey key: [String]) throws -> String? {
        try values.value(String.self, for: key.joined(separator: "."))
    }
}

/// The settings of a program. The first provider that knows a setting decides.
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
