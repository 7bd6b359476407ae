import Glibc
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Making a keychain.
extension NamedKeychains {
    /// Makes a keychain, which is open and the last of the search list then.
    ///
    /// - Parameters:
    ///   - name: a bare name or a path.
    ///   - password: a memory file with its password; nil for none.
    /// - Throws: `errSecDuplicateKeychain` when there is a file already; `errSecParam` for a name that no file can
    ///   have; `errSecNotAvailable` when there are too many, the daemon cannot be started, or the search list cannot be
    ///   changed; what the file system says. Nothing is left then.
    @discardableResult
    package func create(_ name: String, password: FileDescriptor?) throws(Refusal) -> NamedKeychain {
        if paths.isLogin(name) { throw .duplicate(paths.ofLogin) }
        return try alone { () throws(Refusal) in
            let keychain = NamedKeychain(NamedKeychain.Identifier(), path: paths.new(name))
            try checkName(name, keychain.path)
            _ = try list()
            try sweep()
            try checkFree(keychain.path)
            guard try identifiers().count < Self.most else { throw .tooMany(folder, most: Self.most) }
            do throws(Refusal) { try make(keychain, password) } catch {
                discard(keychain)
                throw error
            }
            return keychain
        }
    }

    /// Whether a file can have the name. One that leads to the login keychain's path on another way would be taken for
    /// it.
    private func checkName(_ name: String, _ path: String) throws(Refusal) {
        guard !name.isEmpty, SearchList.isPath(path) else { throw .notAPath(path) }
        let (given, last) = (name.split(separator: "/").last ?? "", path.split(separator: "/").last ?? "")
        // The ending would make files of folders.
        guard ![".", ".."].contains(given), name.utf8.last != UInt8(ascii: "/") else { throw .namesFolder(name) }
        guard path.utf8.count < PATH_MAX, last.utf8.count <= NAME_MAX else { throw .pathTooLong(path) }
        if paths.leadsToLogin(path) { throw .duplicate(paths.ofLogin) }
    }

    private func checkFree(_ path: String) throws(Refusal) {
        switch NameFile.content(at: path) {
        case .nothing: return
        case .name(let identifier) where !isStored(identifier): throw .duplicateNamesNothing(path)
        case .name, .other: throw .duplicate(path)
        }
    }

    /// The name file comes last: a keychain that has one is complete, but for the mark.
    private func make(_ keychain: NamedKeychain, _ password: FileDescriptor?) throws(Refusal) {
        let mark = store(keychain.identifier) + Self.unfinishedEnding
        let use = try makeFolder(keychain, mark)
        let connection = try open(keychain)
        if let password {
            _ = try connection.device(.setPasscode, passcodes: [password])
        } else {
            _ = try connection.device(.status, passcodes: [])
        }
        guard use.isOfItsPath else { throw .replaced(keychain.path, store(keychain.identifier)) }
        try updateList { $0.search.append(.path(keychain.path)) }
        do throws(SystemError) {
            if let parent = PrivateDirectory.parent(of: keychain.path), paths.library?.hasBytes(of: parent) == true {
                try PrivateDirectory.make(parent)
            }
            try NameFile.make(keychain)
            try AtomicFile.remove(mark)
        } catch {
            throw error.code == EEXIST ? .duplicate(keychain.path) : .cannot("write", keychain.path, error)
        }
    }

    /// - Returns: the lock by which other programs see that the folder is in use.
    private func makeFolder(_ keychain: NamedKeychain, _ mark: String) throws(Refusal) -> FolderLock {
        let store = store(keychain.identifier)
        do throws(SystemError) {
            try AtomicFile.replace(mark, with: [UInt8]().span)
            try PrivateDirectory.ensure(store)
            guard let use = try FolderLock(store, .shared) else {
                throw SystemError(code: EAGAIN, call: "flock", advice: "another program uses \(store)")
            }
            try AtomicFile.replace(store + "/name", with: Array(keychain.path.utf8).span)
            return use
        } catch { throw .cannot("make the keychain", keychain.path, error) }
    }
}
