import Glibc
import LinuxSystem

/// The pinentries to use.
package struct PinentryPrograms: Equatable, Sendable {
    package var graphical: String?
    package var terminal: String?

    package init(graphical: String? = nil, terminal: String? = nil) {
        (self.graphical, self.terminal) = (graphical, terminal)
    }

    /// The setting `pinentry`: a path for both, `none`, or `auto` for the installed ones.
    package init(setting: String) {
        switch setting {
        case "auto": self.init(installedIn: "/usr/bin/")
        case "none": self.init()
        default: self.init(graphical: setting, terminal: setting)
        }
    }

    /// Those for session agents: installed ones that open a window themselves. The one for GNOME has another program of
    /// the session show it, which any program there can replace. Debian lets it stand in for others under their names.
    package static func ofDisplays(in folder: String = "/usr/bin/") -> PinentryPrograms {
        let own = graphicalNames.filter { name in
            name != "gnome3"
                && SymbolicLink.resolve(folder + "pinentry-" + name)?.hasSuffix("/pinentry-gnome3") != true
        }
        return PinentryPrograms(graphical: PinentryPrograms(installedIn: folder, own).graphical)
    }

    private static let graphicalNames = ["gnome3", "qt", "qt6", "qt5", "qt4", "gtk-2", "gtk", "fltk", "efl", "x11"]
    private static let terminalNames = ["curses", "tty"]

    /// Looks for pinentries in a folder: the one that the system's administrator has chosen (`pinentry`, if it leads to
    /// one of a known name) before the others.
    init(installedIn folder: String, _ graphicalNames: [String] = graphicalNames) {
        let chosen = SymbolicLink.resolve(folder + "pinentry")
        func find(_ names: [String]) -> String? {
            let paths = names.map { folder + "pinentry-" + $0 }
            if let chosen, names.contains(where: { chosen.hasSuffix("/pinentry-" + $0) }) { return chosen }
            return paths.first { unsafe access($0, X_OK) == 0 }
        }
        self.init(graphical: find(graphicalNames), terminal: find(Self.terminalNames))
    }
}
