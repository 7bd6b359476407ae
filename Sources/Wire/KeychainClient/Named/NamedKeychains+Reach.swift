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
    ///   was moved and it has no password (``adopt(_:)``); `errSecNotAvailable` when the mark of its creation cannot be
    ///   removed.
    package func reach(_ keychain: NamedKeychain) throws(Refusal) -> any KeychainConnection {
        let connection = try open(keychain)
        try markAsComplete(keychain)
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

    /// Removes the mark of a creation that was killed when all but this was done. It goes before anything is stored, as
    /// the next creation undoes what has a mark and no name file.
    private func markAsComplete(_ keychain: NamedKeychain) throws(Refusal) {
        let mark = store(keychain.identifier) + Self.unfinishedEnding
        do throws(SystemError) {
            guard try FileStatus(ofLink: mark) != nil else { return }
            try AtomicFile.remove(mark)
        } catch { throw .cannot("remove", mark, error) }
    }
}
