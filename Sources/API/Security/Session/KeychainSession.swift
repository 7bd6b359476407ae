internal import EmbeddedKeychain
package import KeychainClient
package import KeychainModel
internal import LinuxSystem
internal import Synchronization

/// Which keychain the functions of this module talk to.
package enum KeychainSession {
    @TaskLocal private static var ofTask: (any KeychainConnection)?

    /// Looking for a task's own value takes longer than finding the process's keychain, and most programs never set
    /// one.
    private static let anyTaskHasOne = Atomic(false)

    /// Not a `Mutex`: a forked child would find it locked for ever if another thread held it.
    private static let chosen = ProcessLocal<(any KeychainConnection)?>(nil)

    /// The keychain of the current task alone, as tests use it.
    package static var scoped: (any KeychainConnection)? {
        anyTaskHasOne.load(ordering: .relaxed) ? ofTask : nil
    }

    /// Makes the calls that `body` makes go to a keychain of their own; nil goes back to the process's.
    package static func scoped<Result>(
        to connection: (any KeychainConnection)?, _ body: () throws -> Result
    ) rethrows -> Result {
        if connection != nil { anyTaskHasOne.store(true, ordering: .relaxed) }
        return try $ofTask.withValue(connection, operation: body)
    }

    /// As the other one, for asynchronous code.
    package static func scoped<Result: Sendable>(
        to connection: (any KeychainConnection)?, _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        if connection != nil { anyTaskHasOne.store(true, ordering: .relaxed) }
        return try await $ofTask.withValue(connection, operation: body)
    }

    /// Makes all other calls of this process go to a keychain; nil goes back to the configured one.
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
        return try configuration.keychain { () throws(Refusal) in
            try EmbeddedKeychain(folder: configuration.folder, timeout: configuration.timeout)
        }
    }
}
