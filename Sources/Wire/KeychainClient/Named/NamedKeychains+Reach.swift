package import KeychainModel
import KeychainWire
import LinuxSystem

/// Reaching a store.
extension NamedKeychains {
    /// The settings with which a store is reached: a daemon of its own, in the store's folder.
    package func configuration(of keychain: NamedKeychain) -> Configuration {
        var own = configuration
        own.folder = store(keychain.identifier)
        own.socket = own.folder + "/keychaind.sock"
        (own.usesSystemService, own.mode, own.kind) = (false, .daemon, .named)
        return own
    }

    /// Reaches a store, through a daemon that is started for it.
    ///
    /// - Throws: as ``Connection/reach(_:)``; `errSecNoSuchKeychain` when the store has gone, and when its name file
    ///   was moved and it has no password (``adopt(_:)``).
    package func reach(_ keychain: NamedKeychain) throws(Refusal) -> any KeychainConnection {
        let connection = try open(keychain)
        if let lost = lostPath(of: keychain) { try requirePassword(of: keychain, connection, lost) }
        return connection
    }

    func open(_ keychain: NamedKeychain) throws(Refusal) -> Connection {
        guard isStored(keychain.identifier) else { throw .namesNothing(keychain.path) }
        guard let connection = try Connection.reach(configuration(of: keychain)) else {
            throw .noSuchKeychain(keychain.path)
        }
        return connection
    }
}
