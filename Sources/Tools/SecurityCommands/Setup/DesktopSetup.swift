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
        if !wish.leavesOlderSecrets, let keyring = olderKeyring(place) { throw notImported(keyring) }
        return try files(place, program: program).map { file throws(CommandFailure) in try file.done() }
    }

    private static let mark = "# Written by security setup desktop, which also takes it back (--undo)."

    /// A file that is wholly this command's.
    private struct OwnFile {
        let path: String
        let text: String

        func done() throws(CommandFailure) -> FileChange {
            let before = try FileChange.read(path)
            guard before == nil || isOurs(before) else {
                throw .failed("\(path) is there already", remedy: "Move it away, then repeat the command.")
            }
            return FileChange(path: path, before: before, after: text)
        }

        func undone() throws(CommandFailure) -> FileChange {
            let before = try FileChange.read(path)
            return FileChange(path: path, before: before, after: isOurs(before) ? nil : before)
        }

        private func isOurs(_ text: String?) -> Bool { text?.hasPrefix(DesktopSetup.mark + "\n") == true }
    }

    private static func files(_ place: SetupPlace, program: String) -> [OwnFile] {
        let data = place.folder("XDG_DATA_HOME", else: ".local/share")
        let settings = place.folder("XDG_CONFIG_HOME", else: ".config")
        return [
            OwnFile(
                path: "\(data)/dbus-1/services/org.freedesktop.secrets.service",
                text: "\(mark)\n[D-BUS Service]\nName=org.freedesktop.secrets\nExec=\(program)\n"),
            // The unit also has keys of other kinds (PKCS #11), which stay with it.
            OwnFile(
                path: "\(settings)/systemd/user/gnome-keyring-daemon.service.d/keychain.conf",
                text: """
                    \(mark)
                    [Service]
                    ExecStart=
                    ExecStart=/usr/bin/gnome-keyring-daemon --foreground --components=pkcs11 \
                    --control-directory=%t/keyring

                    """),
            OwnFile(
                path: "\(settings)/autostart/gnome-keyring-secrets.desktop",
                text: "\(mark)\n[Desktop Entry]\nType=Application\nName=Secret Storage Service\nHidden=true\n"),
        ]
    }

    /// A keyring of gnome-keyring's in which programs may have stored something.
    private static func olderKeyring(_ place: SetupPlace) -> String? {
        let folder = place.folder("XDG_DATA_HOME", else: ".local/share") + "/keyrings"
        let names = (try? FolderEntries.names(in: folder)) ?? []
        return names.sorted().first { $0.hasSuffix(".keyring") }.map { "\(folder)/\($0)" }
    }

    private static var missingProgram: CommandFailure {
        .failed("keychain-secrets is not installed", remedy: "Install the package swift-keychain, or run make install.")
    }

    private static func notImported(_ keyring: String) -> CommandFailure {
        .failed(
            "\(keyring) has secrets of an older keyring, which programs would no longer find",
            remedy: "Add --without-import to leave them where they are; --undo brings them back.")
    }
}
