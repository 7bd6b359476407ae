internal import EmbeddedKeychain
package import KeychainClient
package import KeychainModel
internal import LinuxSystem
internal import Synchronization

/// The keychain that the functions of this module use.
package enum KeychainSession {
    @TaskLocal private static var ofTask: (any KeychainConnection)?

    /// Reading the task's value takes longer than reading the process's, and most programs never set one.
    private static let anyTaskHasOne = Atomic(false)

    /// Not a `Mutex`: another thread may hold it during a fork, and the child would find it locked for ever.
    private static let chosen = ProcessLocal<(any KeychainConnection)?>(nil)

    /// The keychain of the current task alone, as tests use it.
    package static var scoped: (any KeychainConnection)? {
        anyTaskHasOne.load(ordering: .relaxed) ? ofTask : nil
    }

    /// Sends the calls of `body` to another keychain; nil selects the process's keychain.
    package static func scoped<Result>(
        to connection: (any KeychainConnection)?, _ body: () throws -> Result
    ) rethrows -> Result {
        if connection != nil { anyTaskHasOne.store(true, ordering: .relaxed) }
        return try $ofTask.withValue(connection, operation: body)
    }

    /// As ``scoped(to:_:)`` for synchronous code.
    package static func scoped<Result: Sendable>(
        to connection: (any KeychainConnection)?, _ body: @Sendable () async throws -> Result
    ) async rethrows -> Result {
        if connection != nil { anyTaskHasOne.store(true, ordering: .relaxed) }
        return try await $ofTask.withValue(connection, operation: body)
    }

    /// Sends all other calls of this process to a keychain; nil selects the configured one.
    package static func install(_ connection: (any KeychainConnection)?) {
        withChosen { $0 = connection }
    }

    /// The keychain of the task, the installed one, or the configured one, which the first call opens.
    ///
    /// - Throws: `errSecNotAvailable` when none can be reached. The next call tries again.
    package static func current() throws(Refusal) -> any KeychainConnection {
        if let scoped { return scoped }
        return try withChosen { (connection) throws(Refusal) in
            if let connection { return connection }
            let opened = try configured()
            connection = opened
            return opened
        }
    }

    /// A connection itself notices that it is in a forked child.
    private static func withChosen<Result, Failure: Error>(
        _ body: (inout (any KeychainConnection)?) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try chosen.withValue(inChild: { (_) throws(Failure) in }, body)
    }

    private static func configured() throws(Refusal) -> any KeychainConnection {
        let configuration = try Configuration.load()
        return try configuration.keychain { daemon throws(Refusal) in
            try ProgramKeychain(configuration, daemon) { patience throws(Refusal) in
                try EmbeddedKeychain(
                    folder: configuration.folder, timeout: configuration.timeout, patience: patience)
            }
        }
    }
}
