internal import EmbeddedKeychain
package import KeychainClient
package import KeychainModel
internal import LinuxSystem

/// Which keychain the functions of this module talk to.
package enum KeychainSession {
    /// A keychain for the current task alone, as tests use it.
    @TaskLocal package static var scoped: (any KeychainConnection)?

    /// Not a `Mutex`: a forked child would find it locked for ever if another thread held it.
    private static let chosen = ProcessLocal<(any KeychainConnection)?>(nil)

    /// Makes all calls of this process go to a keychain; nil goes back to the configured one.
    package static func install(_ connection: (any KeychainConnection)?) {
        withChosen { $0 = connection }
    }

    /// The keychain to ask: the task's, the installed one, or the configured one, opened at the first call.
    ///
    /// - Throws: `errSecNotAvailable` when none can be reached; the next call tries again.
    package static func current() throws(Refusal) -> any KeychainConnection {
        if let scoped { return scoped }
        return try withChosen { (connection) throws(Refusal) in
            if let connection { return connection }
            let opened = try configured()
            connection = opened
            return opened
        }
    }

    /// A connection notices by itself that it is in a forked child.
    private static func withChosen<Result, Failure: Error>(
        _ body: (inout (any KeychainConnection)?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try chosen.withValue(inChild: { (_) throws(Failure) in }, body)
    }

    private static func configured() throws(Refusal) -> any KeychainConnection {
        let configuration = try Configuration.load()
        if let daemon = try Connection.reach(configuration) { return daemon }
        return try EmbeddedKeychain(folder: configuration.folder, timeout: configuration.timeout)
    }
}
