internal import EmbeddedKeychain
package import KeychainClient
package import KeychainModel
internal import Synchronization

/// Which keychain the functions of this module talk to.
package enum KeychainSession {
    /// A keychain for the current task alone, as tests use it.
    @TaskLocal package static var scoped: (any KeychainConnection)?

    private static let chosen = Mutex<(any KeychainConnection)?>(nil)

    /// Makes all calls of this process go to a keychain; nil goes back to the configured one.
    package static func install(_ connection: (any KeychainConnection)?) {
        chosen.withLock { $0 = connection }
    }

    /// The keychain to ask: the task's, the installed one, or the configured one, opened at the first call.
    ///
    /// - Throws: `errSecNotAvailable` when none can be reached; the next call tries again.
    package static func current() throws(Refusal) -> any KeychainConnection {
        if let scoped { return scoped }
        return try chosen.withLock { (connection) throws(Refusal) in
            if let connection { return connection }
            let opened = try configured()
            connection = opened
            return opened
        }
    }

    private static func configured() throws(Refusal) -> any KeychainConnection {
        let configuration = try Configuration.load()
        if let daemon = try Connection.reach(configuration) { return daemon }
        return try EmbeddedKeychain(folder: configuration.folder)
    }
}
