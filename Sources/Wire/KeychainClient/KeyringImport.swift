/// Where an import of desktop programs' secrets came from. Its text is the comment of each item and collection that the
/// import has added, by which they are known.
package enum KeyringImport: String, CaseIterable, Sendable {
    case service = "Imported from another Secret Service"
    case file = "Imported from a file of gnome-keyring"
    case wallet = "Imported from KWallet"
}

/// The folders of a user, as the environment names them.
package struct UserFolders: Sendable {
    package let data: String
    /// The folder of the keychain's own state.
    package let state: String

    /// - Parameter environment: gives the value of a variable.
    /// - Returns: nil where the user has no home.
    package init?(_ environment: (String) -> String?) {
        func folder(_ variable: String, _ standard: String) -> String? {
            if let path = environment(variable), path.hasPrefix("/") { return path }
            guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
            return "\(home)/\(standard)"
        }
        guard let data = folder("XDG_DATA_HOME", ".local/share"), let state = folder("XDG_STATE_HOME", ".local/state")
        else { return nil }
        (self.data, self.state) = (data, state + "/keychain")
    }
}
