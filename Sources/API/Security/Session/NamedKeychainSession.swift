package import KeychainClient
internal import KeychainModel
internal import LinuxSystem

/// The user's named keychains, as the functions of this module reach them.
package enum NamedKeychainSession {
    @TaskLocal private static var ofTask: NamedKeychains?

    /// The open connections by the folder of their store. A connection itself notices that it is in a forked child.
    private static let opened = ProcessLocal<[String: any KeychainConnection]>([:])

    /// Has the calls of `body` use other named keychains, as tests do.
    package static func scoped<Result>(to keychains: NamedKeychains, _ body: () throws -> Result) rethrows -> Result {
        try $ofTask.withValue(keychains, operation: body)
    }

    /// The named keychains of the task, or those of this process's user.
    ///
    /// - Throws: `errSecNotAvailable` for settings that cannot be read.
    static func keychains() throws(Refusal) -> NamedKeychains {
        if let ofTask { return ofTask }
        return NamedKeychains(try Configuration.load())
    }

    /// Reaches a keychain; nil stands for that of the login.
    ///
    /// - Throws: `errSecNoSuchKeychain` or `errSecInvalidKeychain` for a path that names none; `errSecNotAvailable`
    ///   when it cannot be reached.
    static func connection(to keychain: SecKeychain?) throws(Refusal) -> any KeychainConnection {
        guard let keychain, keychain.place != .login else { return try KeychainSession.current() }
        let keychains = try keychains()
        switch try keychains.keychain(at: keychain.place) {
        case .login: return try KeychainSession.current()
        case .named(let found): return try connection(to: found, of: keychains)
        case .unusable(let found): throw found.refusal
        }
    }

    private static func connection(
        to keychain: NamedKeychain, of keychains: NamedKeychains
    ) throws(Refusal) -> any KeychainConnection {
        let store = keychains.store(keychain.identifier)
        if let connection = withOpened({ $0[store] }) { return connection }
        // Other threads do not wait while the daemon starts.
        let connection = try keychains.reach(keychain)
        withOpened { opened in
            // Connections to deleted keychains go with the others.
            if opened.count >= NamedKeychains.most { opened = [:] }
            opened[store] = connection
        }
        return connection
    }

    private static func withOpened<Result>(_ body: (inout [String: any KeychainConnection]) -> Result) -> Result {
        opened.withValue(inChild: { _ in }, body)
    }
}
