import LinuxSystem

/// The rights that the agent gives up before it reads input from terminals, pinentries and the system bus.
enum Confinement: Equatable {
    case none
    /// It starts no program, reaches no network and no other process, and sees the system's files alone.
    case alone
    /// The agent and its pinentries trace no process and see all files but those in this folder.
    case away(from: String)

    /// Confines the calling thread and those it starts.
    ///
    /// - Parameter report: called when the kernel cannot keep files away (Landlock). Nothing else depends on that.
    /// - Throws: `SystemError` when the kernel can and did not; the agent must not go on then.
    func apply(report: (String) -> Void) throws(SystemError) {
        if self == .none { return }
        try ProcessHardening.forbidNewPrivileges()
        if try !FileSystemRestriction.apply(only: places()) {
            report("this kernel has no Landlock, so the agent sees all files of its user")
        }
        try ProcessHardening.forbidReachingOut(forbidden)
    }

    /// A pinentry may start programs, stop them, and reach a display on another machine.
    private var forbidden: ProcessHardening.Reach {
        self == .alone ? [.programs, .neighbours, .networks] : []
    }

    private func places() throws(SystemError) -> [FileSystemRestriction.Place] {
        switch self {
        case .none: return []
        case .alone:
            return Self.system.map { .init($0, .reading) } + (try Self.terminals()).map { .init($0, .using) }
        case .away(let folder):
            return try FileSystemRestriction.places(beside: SymbolicLink.resolve(folder) ?? folder)
        }
    }

    /// The files that libraries read when accounts are looked up and when a library is loaded for it.
    private static let system = [
        "/usr/", "/lib/", "/lib32/", "/lib64/", "/etc/", "/nix/store/", "/gnu/store/", "/run/systemd/", "/run/nscd/",
    ]

    /// The terminals on which a person may be asked who has named nothing else. Their owner is checked as always.
    private static func terminals() throws(SystemError) -> [String] {
        let consoles = try FolderEntries.names(in: "/dev").filter { $0.hasPrefix("tty") }
        return ["/dev/pts/", "/dev/null"] + consoles.map { "/dev/" + $0 }
    }
}
