import Glibc
package import KeychainModel
import LinuxSystem

/// Deleting keychains, and what programs have left that were killed.
extension NamedKeychains {
    static let deletedEnding = ".deleted"
    static let unfinishedEnding = ".new"

    /// Deletes a keychain: its store is moved away first, then its name, its place in the list and its notes go.
    ///
    /// - Throws: `errSecNoSuchKeychain` when another program has deleted it; `errSecNotAvailable` when the store cannot
    ///   be moved away, or the search list cannot be read. Nothing is changed then. A part that cannot be removed
    ///   later is said, and removed by the next creation.
    package func delete(_ keychain: NamedKeychain) throws(Refusal) {
        try alone { () throws(Refusal) in
            guard isStored(keychain.identifier) else { throw .namesNothing(keychain.path) }
            _ = try list()
            try checkThatItIsNoCopy(keychain)
            try remove(keychain)
        }
    }

    /// A user who deletes a copy of the name file, as if it were a keychain of its own, does not mean the original.
    private func checkThatItIsNoCopy(_ keychain: NamedKeychain) throws(Refusal) {
        let recorded = recordedPath(in: store(keychain.identifier))
        guard NameFile.content(at: recorded) == .name(keychain.identifier) else { return }
        let files = [recorded, keychain.path].map { try? FileStatus(at: $0) }
        if let one = files[0], let other = files[1], !one.isSameFile(as: other) {
            throw .copiedName(keychain.path, of: recorded)
        }
    }

    /// Moves the store away, which its daemon sees and ends, and removes all that is known of it.
    func remove(_ keychain: NamedKeychain) throws(Refusal) {
        let store = store(keychain.identifier)
        let daemon = DaemonEnd(at: store + "/keychaind.sock")
        do throws(SystemError) { try AtomicFile.rename(store, to: store + Self.deletedEnding) } catch {
            throw .cannot("remove", store, error)
        }
        daemon?.wait()
        try removeMoved(keychain)
    }

    /// The store goes before the list is written: a full disk has room for that then.
    private func removeMoved(_ keychain: NamedKeychain) throws(Refusal) {
        let gone = store(keychain.identifier) + Self.deletedEnding
        let paths = [keychain.path, recordedPath(in: gone)]
        for path in paths { try removeName(path, of: keychain.identifier) }
        do throws(SystemError) { try PrivateDirectory.remove(gone) } catch { throw .cannot("remove", gone, error) }
        try updateList { list in
            list.search.removeAll { place in paths.contains { place == .path($0) } }
            if paths.contains(where: { list.standard == .path($0) }) { list.standard = .login }
        }
    }

    func removeName(_ path: String, of identifier: NamedKeychain.Identifier) throws(Refusal) {
        // Somebody may have put another file there meanwhile.
        guard NameFile.content(at: path) == .name(identifier) else { return }
        do throws(SystemError) { try AtomicFile.remove(path) } catch { throw .cannot("remove", path, error) }
    }

    /// Removes what a creation that has failed has made. If that fails too, the mark stays, and the next creation tries
    /// again.
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

    private func exists(_ path: String) -> Bool { (try? FileStatus(ofLink: path)) != nil }

    /// Removes what programs have left that were killed while they made or deleted a keychain. The caller holds the
    /// lock of the folder, so none of them goes on; a store that is in use all the same is left alone.
    ///
    /// - Throws: `errSecNotAvailable` when something cannot be removed.
    func sweep() throws(Refusal) {
        for name in try entries() {
            if let identifier = identifier(name, before: Self.deletedEnding) {
                try removeMoved(NamedKeychain(identifier, path: recordedPath(in: "\(folder)/\(name)")))
            } else if let identifier = identifier(name, before: Self.unfinishedEnding) {
                try finish(NamedKeychain(identifier, path: recordedPath(in: store(identifier))))
            } else if Self.isReplacement(name) || Self.formerFiles.contains(name) {
                try removeFile("\(folder)/\(name)")
            }
        }
        try tendOrphans()
    }

    /// A creation that was killed: it is complete when it has made the name file, and is undone otherwise. A store that
    /// was used since has no mark (``markAsComplete(_:)``), wherever its name file is now.
    private func finish(_ keychain: NamedKeychain) throws(Refusal) {
        let store = store(keychain.identifier)
        if NameFile.content(at: keychain.path) == .name(keychain.identifier), isStored(keychain.identifier) {
            return try removeFile(store + Self.unfinishedEnding)
        }
        if !isInUse(store) { try undo(keychain) }
    }

    /// Whether another program is making the store, although it has no lock of the folder of keychains any more.
    private func isInUse(_ store: String) -> Bool {
        do throws(SystemError) { return try FolderLock(store, .exclusive) == nil && exists(store) } catch {
            return false
        }
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

    /// Deletes the keychain that there always is; the next item that is stored makes another. Named ones stay, as does
    /// every file in its folder that is not the keychain's.
    ///
    /// - Throws: `errSecNotAvailable` in the system service, and when a file cannot be removed.
    package func deleteLogin() throws(Refusal) {
        try alone { () throws(Refusal) in
            let daemon = DaemonEnd(at: configuration.socket)
            do throws(SystemError) {
                try AtomicFile.remove(configuration.socket)
                daemon?.wait()
                for name in try FolderEntries.names(in: configuration.folder) where KeychainFiles.isOwn(name) {
                    let path = "\(configuration.folder)/\(name)"
                    if try FileStatus(ofLink: path)?.isRegularFile == true { try AtomicFile.remove(path) }
                }
            } catch { throw .cannot("remove the keychain", configuration.folder, error) }
        }
    }
}
