/// The variables of an environment that a carrier of a circle's batches has. Libraries that reach servers read many
/// more, which say where a server is, which authorities it is verified by, and where the keys of a connection go.
package enum CarrierVariables {
    /// Those by which programs find a keychain, its user's prompts and folders, and the service manager.
    package static let names =
        Setting.table.map(\.variable) + [
            "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "PATH", "TERM",
            "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
        ]
}
