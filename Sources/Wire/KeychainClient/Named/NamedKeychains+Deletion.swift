import Glibc
package import KeychainModel
import LinuxSystem

/// Deleting keychains.
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
        try removeMoved(keychain.identifier)
        let daemon = DaemonEnd(at: store + "/keychaind.sock")
        do throws(SystemError) { try AtomicFile.rename(store, to: store + Self.deletedEnding) } catch {
            throw .cannot("remove", store, error)
        }
        daemon?.wait()
        try finishDeletion(keychain)
    }

    /// The store goes before the list is written: a full disk has room for that then.
    func finishDeletion(_ keychain: NamedKeychain) throws(Refusal) {
        let paths = [keychain.path, recordedPath(in: store(keychain.identifier) + Self.deletedEnding)]
        for path in paths { try removeName(path, of: keychain.identifier) }
        try removeMoved(keychain.identifier)
        try updateList { list in
            list.search.removeAll { place in paths.contains { place == .path($0) } }
            if paths.contains(where: { list.standard == .path($0) }) { list.standard = .login }
        }
    }

    /// Removes a store that was moved away to be deleted; nothing happens when there is none.
    func removeMoved(_ identifier: NamedKeychain.Identifier) throws(Refusal) {
        let gone = store(identifier) + Self.deletedEnding
        guard exists(gone) else { return }
        do throws(SystemError) { try PrivateDirectory.remove(gone) } catch { throw .cannot("remove", gone, error) }
    }

    func removeName(_ path: String, of identifier: NamedKeychain.Identifier) throws(Refusal) {
        // Somebody may have put another file there meanwhile.
        guard NameFile.content(at: path) == .name(identifier) else { return }
        do throws(SystemError) { try AtomicFile.remove(path) } catch { throw .cannot("remove", path, error) }
    }

    func exists(_ path: String) -> Bool { (try? FileStatus(ofLink: path)) != nil }

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
