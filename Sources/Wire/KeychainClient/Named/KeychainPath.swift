import Glibc
import LinuxSystem

/// The path of a keychain that a person or a program has named, by the rules of macOS's command.
///
/// A bare name stands for a file in the keychain's own folder, or in `~/Library/Keychains`. In these folders names end
/// in `-db`. Other paths are taken as they are.
struct KeychainPath {
    /// The folder of bare names.
    let folder: String
    /// `~/Library/Keychains`; nil without a home.
    let library: String?

    /// - Parameters:
    ///   - folder: the folder of named keychains.
    ///   - home: the user's home; nil where there is none.
    init(folder: String, home: String?) {
        (self.folder, library) = (folder, home.map { $0 + "/Library/Keychains" })
    }

    static let loginNames = ["login.keychain", "login.keychain-db"]
    private static let ending = "-db"

    /// The path that commands show for the keychain that there always is, and take for it.
    var ofLogin: String { "\(library ?? folder)/\(Self.loginNames[1])" }

    /// Whether a name stands for the keychain that there always is.
    func isLogin(_ name: String) -> Bool {
        Self.loginNames.contains(name) || Self.loginNames.contains { name.hasSuffix("/Library/Keychains/\($0)") }
            || name.hasBytes(of: ofLogin)
    }

    /// Whether a path leads to the place of the keychain that there always is, by other words.
    func leadsToLogin(_ path: String) -> Bool {
        guard let name = path.split(separator: "/").last, Self.loginNames.contains(String(name)),
            let parent = PrivateDirectory.parent(of: path), let found = try? FileStatus(at: parent)
        else { return false }
        return [folder, library].compactMap { $0 }.contains { place in
            (try? FileStatus(at: place))?.isSameFile(as: found) ?? false
        }
    }

    /// Where the name file of a new keychain is made.
    func new(_ name: String) -> String {
        let path = absolute(name)
        return isEnding(path) && !path.hasSuffix(Self.ending) ? path + Self.ending : path
    }

    /// The places in which the name file of a keychain may be, the first that exists being the one.
    func places(_ name: String) -> [String] {
        let folders = isPath(name) ? [] : library.map { [$0] } ?? []
        return ([absolute(name)] + folders.map { "\($0)/\(name)" }).flatMap { path in
            isEnding(path) && !path.hasSuffix(Self.ending) ? [path + Self.ending, path] : [path]
        }
    }

    /// Whether names in the folder of this path end in `-db`.
    private func isEnding(_ path: String) -> Bool {
        guard let parent = PrivateDirectory.parent(of: path) else { return false }
        return parent.hasBytes(of: folder) || library.map(parent.hasBytes) ?? false
    }

    /// Bytes are compared, as the kernel does: a combining mark behind a slash makes it another character.
    private func isPath(_ name: String) -> Bool { name.utf8.contains(Self.slash) }

    private static let slash = UInt8(ascii: "/")

    private func absolute(_ name: String) -> String {
        guard isPath(name) else { return "\(folder)/\(name)" }
        guard name.utf8.first != Self.slash, let current = unsafe getcwd(nil, 0) else { return name }
        defer { unsafe free(current) }
        // Repaired, the name of the folder would be that of another one.
        return unsafe String(validatingCString: current).map { "\($0)/\(name)" } ?? name
    }
}
