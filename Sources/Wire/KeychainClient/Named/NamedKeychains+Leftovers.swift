import KeychainModel
import KeychainWire
import LinuxSystem

/// Leftovers of programs that were killed while they made or deleted a keychain, and what copies of folders bring back.
/// Only a store that nobody has ever used is taken back; where that is in doubt, it stays.
extension NamedKeychains {
    /// Removes what is left. The caller holds the lock of the folder, so none of those programs goes on; a store that
    /// is in use all the same is left alone.
    ///
    /// - Throws: `errSecNotAvailable` when something cannot be removed.
    func sweep() throws(Refusal) {
        for name in try entries() {
            if let identifier = identifier(name, before: Self.deletedEnding) {
                try finishDeletion(of: identifier)
            } else if let identifier = identifier(name, before: Self.unfinishedEnding) {
                try finishCreation(NamedKeychain(identifier, path: recordedPath(in: store(identifier))))
            } else if Self.isReplacement(name) || Self.formerFiles.contains(name) {
                try removeFile("\(folder)/\(name)")
            }
        }
        try tendOrphans()
    }

    /// A store that is there again was brought back from a copy: what was to be deleted says nothing about it.
    private func finishDeletion(of identifier: NamedKeychain.Identifier) throws(Refusal) {
        guard !exists(store(identifier)) else { return try removeMoved(identifier) }
        let gone = store(identifier) + Self.deletedEnding
        try finishDeletion(NamedKeychain(identifier, path: recordedPath(in: gone)))
    }

    /// A creation that was killed is complete when it has made the name file, and also when the store was used, or when
    /// nobody can say: the mark may come from a copy of the folder, and the name file may be on a disk that is away.
    /// Such a store is listed as one whose name file has gone.
    private func finishCreation(_ keychain: NamedKeychain) throws(Refusal) {
        let store = store(keychain.identifier)
        if NameFile.content(at: keychain.path) == .name(keychain.identifier), isStored(keychain.identifier) {
            return try removeFile(store + Self.unfinishedEnding)
        }
        guard !isInUse(store) else { return }
        guard pastUse(of: keychain) == .never else { return try removeFile(store + Self.unfinishedEnding) }
        try undo(keychain)
    }

    /// Whether another program is making the store, although it has no lock of the folder of keychains any more.
    private func isInUse(_ store: String) -> Bool {
        do throws(SystemError) { return try FolderLock(store, .exclusive) == nil && exists(store) } catch {
            return false
        }
    }

    /// Removes what a creation that has failed has made. If that fails too, the mark stays, and the next creation looks
    /// at it again.
    func discard(_ keychain: NamedKeychain) {
        do throws(Refusal) { try undo(keychain) } catch { return }
    }

    /// The mark is removed last.
    private func undo(_ keychain: NamedKeychain) throws(Refusal) {
        let store = store(keychain.identifier)
        try removeName(keychain.path, of: keychain.identifier)
        do throws(SystemError) { try NameFile.removeBeginning(of: keychain) } catch {
            throw .cannot("remove", keychain.path, error)
        }
        if exists(store) { try remove(keychain) }
        try updateList { $0.search.removeAll { $0 == .path(keychain.path) } }
        try removeFile(store + Self.unfinishedEnding)
    }

    private func removeFile(_ path: String) throws(Refusal) {
        do throws(SystemError) { try AtomicFile.remove(path) } catch { throw .cannot("remove", path, error) }
    }

    private func identifier(_ name: String, before ending: String) -> NamedKeychain.Identifier? {
        name.hasSuffix(ending) ? NamedKeychain.Identifier(name.dropLast(ending.utf8.count)) : nil
    }

    /// Files of releases before 0.6, which nobody reads any more: who changed the list, and partition lists.
    private static let formerFiles = ["changes", "partitions"]

    /// Whether a name is that of a file which was to replace one of the folder's own, or a mark.
    private static func isReplacement(_ name: String) -> Bool {
        AtomicFile.isReplacement(name, of: "list")
            || NamedKeychain.Identifier(name.prefix(36)).map {
                AtomicFile.isReplacement(name, of: $0.description + unfinishedEnding)
            } ?? false
    }

    private func entries() throws(Refusal) -> [String] {
        do throws(SystemError) { return try FolderEntries.names(in: folder) } catch {
            throw .cannot("list", folder, error)
        }
    }
}

/// Whether a store was used.
extension NamedKeychains {
    private enum PastUse {
        case never, some, unknown
    }

    /// Asks the store's own daemon, which knows it also while it is locked.
    private func pastUse(of keychain: NamedKeychain) -> PastUse {
        let store = store(keychain.identifier)
        do throws(SystemError) {
            // A link is none of ours, and goes without what it leads to.
            guard try FileStatus(ofLink: store)?.isDirectory == true else { return .never }
            let names = try FolderEntries.names(in: store).filter { !KeychainFiles.isBeforeTheFirst($0) }
            if names.isEmpty { return .never }
            guard names.allSatisfy(KeychainFiles.isOfNew) else { return .unknown }
        } catch { return .unknown }
        do throws(Refusal) {
            guard case .access(.used(let isUsed)) = try open(keychain).device(.access(.use), passcodes: []) else {
                return .unknown
            }
            return isUsed ? .some : .never
        } catch { return .unknown }
    }
}
