package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A keychain that nobody has stored anything in: nothing of one lies in its folder, and no daemon listens.
///
/// A search, update or deletion finds no item, starts nothing and writes nothing. The first request of
/// another kind reaches the keychain, which makes it; so does the first that finds that somebody else has made it.
package final class UnmadeKeychain: KeychainConnection {
    /// Reaches the keychain, and makes it where there is none.
    package typealias Making = @Sendable () throws(Refusal) -> any KeychainConnection

    private let configuration: Configuration
    private let make: Making
    private let made = ProcessLocal<(any KeychainConnection)?>(nil)

    package init(_ configuration: Configuration, make: @escaping Making) {
        (self.configuration, self.make) = (configuration, make)
    }

    package var timeoutOfWhole: UInt32 { DeviceRequest.timeoutOfWhole(configuration.timeout) }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        try keychain(for: request).send(request)
    }

    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        try deadline.check()
        return try keychain(for: request).send(request, by: deadline)
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try keychain().device(request, passcodes: passcodes)
    }

    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        if let reply = try replyWhileUnmade(to: request) { return reply }
        return try keychain().key(request)
    }

    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        if case .perform(.item(let item), _, _) = request {
            return try keychain(for: item).authentication(request, descriptors: descriptors)
        }
        if case .perform(.key(let key), _, _) = request, let reply = try replyWhileUnmade(to: key) {
            return .key(reply)
        }
        return try keychain().authentication(request, descriptors: descriptors)
    }

    /// The answer about files where nobody has made a shelf; nil for a request that reaches the keychain.
    ///
    /// - Throws: `errSecItemNotFound` for a file of some shelf.
    private func replyWhileUnmade(to request: KeyRequest) throws(Refusal) -> KeyReply? {
        guard case .file(let request) = request, configuration.isUnmade else { return nil }
        switch request {
        case .make: return nil
        case .shelves: return .file(.shelves([]))
        case .open, .rewrap, .deleteShelf: throw .noShelves(configuration.folder)
        }
    }

    /// The keychain that a request goes to.
    ///
    /// - Throws: `errSecItemNotFound` for what looks for items while there is none; what the keychain would say of a
    ///   request that breaks its rules.
    private func keychain(for request: ItemRequest) throws(Refusal) -> any KeychainConnection {
        try keychain(orElse: request.operation.looksForItems ? request : nil)
    }

    private func keychain(orElse search: ItemRequest? = nil) throws(Refusal) -> any KeychainConnection {
        // A connection notices by itself that it is in a forked child.
        try made.withValue(inChild: { (_) throws(Refusal) in }) { (made) throws(Refusal) in
            if let made { return made }
            if let search, configuration.isUnmade {
                try search.check()
                throw .nothingStored(configuration.folder)
            }
            let keychain = try make()
            made = keychain
            return keychain
        }
    }
}

extension Configuration {
    /// Opens the keychain in this process, with the daemon that it asks until that ends; nil where none runs.
    package typealias Embedding = @Sendable (_ daemon: Connection?) throws(Refusal) -> any KeychainConnection

    /// Reaches the keychain; one that nobody has made stays unmade until something is stored.
    ///
    /// - Parameter embed: opens it in this process; nil where it is never opened here.
    /// - Throws: as ``Connection/reach(_:)``, and as `embed`; `errSecNotAvailable` where there is neither a daemon
    ///   nor `embed`.
    package func keychain(embed: Embedding?) throws(Refusal) -> any KeychainConnection {
        let open: UnmadeKeychain.Making = { () throws(Refusal) in
            let daemon = try Connection.reach(self)
            if let embed, daemon == nil || outlivesDaemon { return try embed(daemon) }
            guard let daemon else { throw .noDaemon(self) }
            return daemon
        }
        return isUnmade && couldMake(embed) ? UnmadeKeychain(self, make: open) : try open()
    }

    private func couldMake(_ embed: Embedding?) -> Bool {
        embed != nil && mode != .daemon || DaemonLauncher(configuration: self).program != nil
    }

    /// Whether this process opens the keychain itself when its daemon has ended: it can start no other. A socket that
    /// a setting names may be that of another store's daemon.
    private var outlivesDaemon: Bool {
        mode == .auto && kind == .usual && !usesSystemService && !socketIsGiven
            && DaemonLauncher(configuration: self).program == nil
    }

    /// Whether nobody has made the keychain yet, as far as this process may see. Of anything else than nothing,
    /// the program that opens it says what it is.
    package var isUnmade: Bool {
        if usesSystemService || (mode != .embedded && Self.isThere(socket)) { return false }
        return isUsable && Self.signs.allSatisfy { !Self.isThere("\(folder)/\($0)") }
    }

    /// The files of a keychain's folder, as long as anything of it is left.
    private static let signs = ["keychain.made", "keychain.db", "vault"]

    /// Whether a keychain could be made in the folder.
    private var isUsable: Bool {
        guard let folder = try? FileStatus(ofLink: folder) else { return !Self.isThere(folder) }
        return folder.isDirectory && folder.owner == CurrentProcess.user && folder.mode & 0o077 == 0
    }

    private static func isThere(_ path: String) -> Bool {
        do throws(SystemError) { return try FileStatus(ofLink: path) != nil } catch { return true }
    }
}

extension ItemRequest.Operation {
    /// Whether it changes nothing where there are no items.
    fileprivate var looksForItems: Bool {
        switch self {
        case .copyMatching, .history, .update, .delete: true
        default: false
        }
    }
}

extension Refusal {
    fileprivate static func noDaemon(_ configuration: Configuration) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, configuration.socket,
            "No keychain daemon runs at \(configuration.socket) and none is installed.",
            do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")
    }

    fileprivate static func noShelves(_ folder: String) -> Refusal {
        Refusal(
            .itemNotFound, .noShelf, "shelf", "There is no keychain in \(folder) yet, so it opens no file.",
            do: "Open the file with the keychain that made it, or restore that keychain; for another folder, set "
                + "KEYCHAIN_HOME.")
    }

    fileprivate static func nothingStored(_ folder: String) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, "",
            "There is no keychain in \(folder) yet, so nothing has been stored.",
            do: "Store something, which makes it; for another folder, set KEYCHAIN_HOME.")
    }
}
