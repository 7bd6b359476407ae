import KeychainModel
package import LinuxSystem

/// How a daemon knows the bridge to the desktop, whose secrets belong to it wherever it is installed.
package enum KnownBridge: Sendable {
    /// Not at all.
    case unknown
    /// By its file, which root has installed with the daemon. In the system service a user's program is not the bridge
    /// because it has its name.
    case file(FileStatus)
    /// By its file name, in a user's own daemon: the programs of that user can read the store without the daemon.
    case name
}

extension IdentityRules {
    /// Whether a program that nothing else speaks for is the bridge. In a sandbox none is: the secrets are those of
    /// programs outside.
    func isBridge(_ facts: some ProcessFacts) -> Bool {
        guard servedCallers != .system, facts.seesCommonFiles else { return false }
        return switch bridge {
        case .unknown: false
        case .file(let file): isRoots(facts.file) && facts.file.isSameFile(as: file)
        case .name: AccessGroup.isOfBridgesPath(AccessGroup.unsignedPrefix + facts.path)
        }
    }

    private func isRoots(_ file: FileStatus) -> Bool {
        file.isRegularFile && file.owner == installer && !file.isWritableByOthers
    }
}
