import KeychainClient
import LinuxSystem

/// Makes the session's bus start `keychain-secrets` for programs of the desktop, in place of gnome-keyring's part that
/// keeps secrets. It takes effect at the next login.
enum DesktopSetup {
    static let target = SetupTarget(
        name: "desktop", summary: "desktop programs keep their passwords in the keychain (Secret Service)"
    ) { place, wish throws(CommandFailure) in
        if wish.undoes { return try files(place, program: "").map { file throws(CommandFailure) in try file.undone() } }
        guard let program = InstalledPrograms.find("keychain-secrets") else { throw missingProgram }
        let imported = ImportedKeyrings(state: place.records)
        if !wish.leavesOlderSecrets, let keyring = OlderKeyring.first(below: dataFolder(place), except: imported) {
            throw notImported(keyring)
        }
        return try files(place, program: program).map { file throws(CommandFailure) in try file.done() }
    }

    private static let mark = "# Written by security setup desktop, which also takes it back (--undo)."

    /// A file that is wholly this command's.
    private struct OwnFile {
        let path: String
        let text: String
        /// The folder of all settings or data, which stays.
        let root: String
        /// Whether a file of another's does the same.
        var isMet: (String) -> Bool = { _ in false }

        func done() throws(CommandFailure) -> FileChange {
            let before = try FileChange.read(path)
            if let before, !isOurs(before), isMet(before) {
                return FileChange(path: path, before: before, after: before)
            }
            guard before == nil || isOurs(before) else {
                throw .failed("\(path) is there already", remedy: "Move it away, then repeat the command.")
            }
            return FileChange(path: path, before: before, after: text, root: root)
        }

        func undone() throws(CommandFailure) -> FileChange {
            let before = try FileChange.read(path)
            return FileChange(path: path, before: before, after: isOurs(before) ? nil : before, root: root)
        }

        private func isOurs(_ text: String?) -> Bool { text?.hasPrefix(DesktopSetup.mark + "\n") == true }
    }

    private static let unit = "keychain-secrets.service"

    private static func dataFolder(_ place: SetupPlace) -> String {
        place.folder("XDG_DATA_HOME", else: ".local/share")
    }

    private static func files(_ place: SetupPlace, program: String) -> [OwnFile] {
        let data = dataFolder(place)
        let settings = place.folder("XDG_CONFIG_HOME", else: ".config")
        return [
            OwnFile(
                path: "\(data)/dbus-1/services/org.freedesktop.secrets.service", text: activation(of: program),
                root: data),
            OwnFile(path: "\(settings)/systemd/user/\(unit)", text: unitText(of: program), root: settings),
            // The unit also has keys of other kinds (PKCS #11), which stay with it.
            OwnFile(
                path: "\(settings)/systemd/user/gnome-keyring-daemon.service.d/keychain.conf",
                text: """
                    \(mark)
                    [Service]
                    ExecStart=
                    ExecStart=/usr/bin/gnome-keyring-daemon --foreground --components=pkcs11 \
                    --control-directory=%t/keyring

                    """, root: settings),
            OwnFile(
                path: "\(settings)/autostart/gnome-keyring-secrets.desktop",
                text: "\(mark)\n[Desktop Entry]\nType=Application\nName=Secret Storage Service\nHidden=true\n",
                root: settings, isMet: isHidden),
        ]
    }

    /// A bus without a service manager starts the program itself.
    private static func activation(of program: String) -> String {
        """
        \(mark)
        [D-BUS Service]
        Name=org.freedesktop.secrets
        Exec=\(quoted(program))
        SystemdService=\(unit)

        """
    }

    /// The keychain's daemon, which the program may have started, serves others too: it outlives the program.
    private static func unitText(of program: String) -> String {
        """
        \(mark)
        [Unit]
        Description=Secret Service over the keychain

        [Service]
        Type=dbus
        BusName=org.freedesktop.secrets
        ExecStart=\(UnitText.quoted(program))
        KillMode=process

        """
    }

    /// A word of a command in a service file of D-Bus: quoted as in a shell where it has to be, and then escaped as all
    /// texts of such files.
    private static func quoted(_ word: String) -> String {
        if word.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "/._+-".contains($0)) }) { return word }
        let shell = "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
        let escapes: [Character: String] = ["\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"]
        return shell.map { escapes[$0] ?? String($0) }.joined()
    }

    /// Whether an autostart file starts nothing.
    private static func isHidden(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.filter { !$0.isWhitespace } }
            return parts == ["Hidden", "true"]
        }
    }

    private static var missingProgram: CommandFailure {
        .failed(
            "keychain-secrets is not installed", remedy: "Install the package keychain-desktop, or run make install.")
    }

    private static func notImported(_ keyring: String) -> CommandFailure {
        .failed(
            "\(keyring) has secrets of an older keyring, which programs would no longer find",
            remedy: keyring.hasSuffix(".keyring")
                ? """
                Add them with `security import-from gnome-keyring`, and repeat this command. --without-import leaves \
                them there.
                """
                : """
                Add them with `security import-from kwallet`, and repeat this command. --without-import leaves them \
                there.
                """)
    }
}
