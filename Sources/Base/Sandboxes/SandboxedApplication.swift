package import KeychainModel
package import LinuxSystem

/// An application in a sandbox that knows its name.
package struct SandboxedApplication: Hashable, Sendable {
    package let sandbox: SandboxKind
    package let identifier: String

    package init(_ sandbox: SandboxKind, _ identifier: String) {
        (self.sandbox, self.identifier) = (sandbox, identifier)
    }

    package var group: String {
        switch sandbox {
        case .flatpak: AccessGroup.flatpakPrefix + identifier
        case .snap: AccessGroup.snapPrefix + identifier
        }
    }

    /// Whether a text can be the name of an application, or of one of its instances.
    static func isName(_ name: some StringProtocol) -> Bool { AccessGroup.isApplicationName(name.utf8) }
}

extension SandboxedApplication {
    /// The application that a process is; nil for one that no sandbox names.
    ///
    /// The number is a process's own only if the process lives afterwards, which the caller has to check.
    ///
    /// - Parameters:
    ///   - sharesNames: whether it sees files by the names that everybody sees them by.
    ///   - hasAppArmor: whether AppArmor confines programs.
    ///   - runtimeFolder: its user's (`XDG_RUNTIME_DIR`).
    ///   - mustBeKnown: whether a sandbox is refused where there is nothing to compare its words with, or where reading
    ///     them could take long.
    /// - Throws: as ``FlatpakInstance/application(of:runtimeFolder:mustBeKnown:)``.
    package static func find(
        _ process: ProcessView, sharesNames: Bool, hasAppArmor: Bool, runtimeFolder: String, mustBeKnown: Bool = false
    ) throws(SandboxDoubt) -> SandboxedApplication? {
        if hasAppArmor, let label = try? process.appArmorLabel(), let snap = SnapLabel.application(label) {
            return snap
        }
        // A sandbox has another file system.
        guard !sharesNames else { return nil }
        return try FlatpakInstance.application(
            of: process, runtimeFolder: runtimeFolder, mustBeKnown: mustBeKnown)
    }
}

/// The reason why a process in a sandbox is no application that is known.
package enum SandboxDoubt: Error, Equatable {
    /// It cannot be looked at.
    case hidden(SystemError)
    /// Its description says that it is this application, and is not what the sandbox's maker has written.
    case forged(application: String, why: String)
}
