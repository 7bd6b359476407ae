import Glibc
package import KeychainModel
import LinuxSystem

/// The default and the search list.
extension NamedKeychains {
    private var listFile: String { folder + "/list" }

    /// The list as it is; that of login alone where nobody has changed it, and in the system service.
    ///
    /// - Throws: `errSecNotAvailable` when the file cannot be read or is no list.
    package func list() throws(Refusal) -> SearchList {
        guard areKept else { return SearchList() }
        do throws(SystemError) { return try SearchList.load(listFile) } catch {
            if error.code == EACCES { try checkFolder() }
            throw .noList(listFile, error)
        }
    }

    /// - Throws: `errSecNotAvailable` where the folder of the keychain itself is what cannot be used.
    private func checkFolder() throws(Refusal) {
        do throws(SystemError) { try PrivateDirectory.check(configuration.folder) } catch {
            throw .cannot("use the keychain's folder", configuration.folder, error)
        }
    }

    /// Changes the list.
    ///
    /// - Throws: `errSecNotAvailable` when it cannot be read or written; `errSecParam` when it would have too many
    ///   names.
    package func changeList(_ change: (inout SearchList) -> Void) throws(Refusal) {
        try alone { () throws(Refusal) in try updateList(change) }
    }

    /// The same for a program that holds the lock.
    func updateList(_ change: (inout SearchList) -> Void) throws(Refusal) {
        var list = try list()
        let before = list
        change(&list)
        list.removeRepetitions()
        guard list != before else { return }
        let most = SearchList.most
        guard list.search.count <= most else { throw .listTooLong(listFile, most: most) }
        do throws(SystemError) {
            try AtomicFile.replace(listFile, with: Array(list.text.utf8).span)
        } catch { throw .cannot("write the search list", listFile, error) }
    }

    /// The keychain at a place of the list.
    ///
    /// - Throws: as ``find(_:)``.
    package func keychain(at place: SearchList.Place) throws(Refusal) -> ChosenKeychain {
        switch place {
        case .login: .login
        case .path(let path): try find(path)
        }
    }

    /// The place that a name stands for, whether or not there is a keychain.
    ///
    /// - Throws: `errSecParam` for a path with a control character.
    package func place(named name: String) throws(Refusal) -> SearchList.Place {
        if paths.isLogin(name) { return .login }
        let path = paths.places(name).first { NameFile.content(at: $0) != .nothing } ?? paths.new(name)
        guard SearchList.isPath(path) else { throw .notAPath(path) }
        return .path(path)
    }

    /// The place of a keychain in a list.
    package func place(of keychain: ChosenKeychain) -> SearchList.Place {
        switch keychain {
        case .login: .login
        case .named(let keychain): .path(keychain.path)
        case .unusable(let keychain): .path(keychain.path)
        }
    }

    /// The path that commands show.
    package func path(of place: SearchList.Place) -> String {
        switch place {
        case .login: loginPath
        case .path(let path): path
        }
    }

    /// The keychain for new items: the default, or login's where the default has gone.
    ///
    /// - Throws: as ``list()``.
    package func standard() throws(Refusal) -> ChosenKeychain { listed(try list().standard) ?? .login }

    /// The keychains that are searched, in order; those that have gone are left out.
    ///
    /// - Throws: as ``list()``.
    package func searched() throws(Refusal) -> [ChosenKeychain] { try list().search.compactMap(listed) }

    /// The keychain at a place of the list; nil for one whose name file has gone. One that is there and cannot be used
    /// is not taken for that: its items would be missed by nobody, and new ones would go elsewhere.
    private func listed(_ place: SearchList.Place) -> ChosenKeychain? {
        do throws(Refusal) { return try keychain(at: place) } catch {
            guard case .path(let path) = place, NameFile.content(at: path) != .nothing else { return nil }
            return .unusable(UnusableKeychain(path: path, refusal: error))
        }
    }
}
