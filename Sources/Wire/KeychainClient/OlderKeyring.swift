import Glibc
import LinuxSystem

/// Secrets of desktop programs that gnome-keyring or KWallet keeps in files.
package enum OlderKeyring {
    /// The first keyring or wallet, in which programs may have stored something; nil where there is none. A folder that
    /// cannot be read counts as one.
    ///
    /// - Parameter data: the user's folder of data (`XDG_DATA_HOME`).
    package static func first(below data: String) -> String? {
        for (folder, ending) in [("\(data)/keyrings", ".keyring"), ("\(data)/kwalletd", ".kwl")] {
            do throws(SystemError) {
                let names = try FolderEntries.names(in: folder)
                if let name = names.first(where: { $0.hasSuffix(ending) }) { return "\(folder)/\(name)" }
            } catch {
                if ![ENOENT, ENOTDIR].contains(error.code) { return folder }
            }
        }
        return nil
    }
}
