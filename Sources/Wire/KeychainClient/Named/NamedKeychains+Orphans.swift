import Glibc
package import KeychainModel
import KeychainWire
import LinuxSystem

/// Stores whose name file has gone. Each is locked. It is adopted with its password alone, and is deleted by its
/// identifier. None is ever erased unasked: the file may be on a disk that is not mounted.
extension NamedKeychains {
    /// The longest path that is read: bytes.
    private static let longestPath = 4096

    /// The store with this identifier, when its name file has gone; nil otherwise.
    ///
    /// - Throws: as ``orphans()``.
    package func orphan(_ identifier: String) throws(Refusal) -> NamedKeychain? {
        try orphans().first { $0.identifier.description == identifier }
    }

    /// The stores whose name file has gone, each with the path it had.
    ///
    /// - Throws: `errSecNotAvailable` when the folder cannot be read.
    package func orphans() throws(Refusal) -> [NamedKeychain] {
        try stores().filter { NameFile.content(at: $0.path) != .name($0.identifier) }
    }

    /// All stores, each with the path of its name file.
    ///
    /// - Throws: as ``orphans()``.
    package func stores() throws(Refusal) -> [NamedKeychain] {
        guard areKept else { return [] }
        return try identifiers().filter(isStored).map { NamedKeychain($0, path: recordedPath(in: store($0))) }
            .filter { !isUnfinished($0) }
    }

    private func isUnfinished(_ keychain: NamedKeychain) -> Bool {
        (try? FileStatus(ofLink: store(keychain.identifier) + Self.unfinishedEnding)) != nil
    }

    /// The path of the name file that a store's folder has; empty where it has none.
    func recordedPath(in store: String) -> String {
        let bytes = (try? AtomicFile.read(store + "/name", limit: Self.longestPath)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The path at which the name file of a keychain was made, when it is no longer there; nil for one that is, and
    /// for a copy of it.
    package func lostPath(of keychain: NamedKeychain) -> String? {
        let recorded = recordedPath(in: store(keychain.identifier))
        let isThere = NameFile.content(at: recorded) == .name(keychain.identifier)
        return recorded.hasBytes(of: keychain.path) || isThere ? nil : recorded
    }

    /// A name file that was moved is no proof: until the password has adopted the store, it stays locked.
    func requirePassword(
        of keychain: NamedKeychain, _ connection: Connection, _ lost: String
    ) throws(Refusal) {
        guard try connection.passcodeIsSet() else { throw .lostName(keychain.path, lost) }
        _ = try connection.device(.lock, passcodes: [])
    }

    /// Takes the path by which a keychain was reached for that of its name file, where the other has gone. To be called
    /// when its password was right.
    ///
    /// - Throws: `errSecNotAvailable` when it cannot be written down.
    package func adopt(_ keychain: NamedKeychain) throws(Refusal) {
        guard let lost = lostPath(of: keychain) else { return }
        try alone { () throws(Refusal) in
            // The store's own file comes last: an adoption that was cut before it is done again as a whole.
            try updateList { list in
                list.search = list.search.map { $0 == .path(lost) ? .path(keychain.path) : $0 }
                if list.standard == .path(lost) { list.standard = .path(keychain.path) }
            }
            do throws(SystemError) {
                let name = store(keychain.identifier) + "/name"
                try AtomicFile.replace(name, with: Array(keychain.path.utf8).span)
            } catch { throw .cannot("adopt the keychain", keychain.path, error) }
        }
    }

    /// Locks the stores whose name file has gone. The caller holds the lock of the folder.
    func tendOrphans() throws(Refusal) {
        for keychain in try orphans() { lock(keychain) }
    }

    /// A daemon that does not run has locked it with its end; one that does not answer gives nothing out either.
    private func lock(_ keychain: NamedKeychain) {
        do throws(Refusal) {
            _ = try Connection.running(configuration(of: keychain))?.device(.lock, passcodes: [])
        } catch { return }
    }
}

extension Connection {
    fileprivate func passcodeIsSet() throws(Refusal) -> Bool {
        guard case .status(let status) = try device(.status, passcodes: []) else {
            throw .malformed("the device status")
        }
        return status.passcodeIsSet
    }
}
