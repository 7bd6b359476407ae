import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// The sockets of the system service, where it is installed.
package enum SystemServiceSockets {
    /// The folder of its sockets.
    package static let folder = "/run/keychaind"
    static let personal = "socket"
    static let system = "system"

    /// The socket that leads to a keychain.
    static func name(of owner: KeychainOwner) -> String { owner == .system ? system : personal }

    /// Where the service listens; nil where it is not there. Sockets are believed in a folder that nobody but root can
    /// put any into.
    static func socket(_ name: String, in folder: String = folder) -> String? {
        guard let status = try? FileStatus(ofLink: folder), status.isDirectory, status.owner == 0,
            status.mode & 0o022 == 0
        else { return nil }
        let path = "\(folder)/\(name)"
        return (try? FileStatus(ofLink: path))?.isSocket == true ? path : nil
    }
}
