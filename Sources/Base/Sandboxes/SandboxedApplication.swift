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

    /// Letters, digits and what the names of applications have besides; so that nothing else gets into a group's name.
    static func isName(_ name: some StringProtocol) -> Bool {
        (1...255).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                    || Array("-._".utf8).contains(byte)
            }
    }
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
    /// - Throws: as ``FlatpakInstance/application(of:runtimeFolder:)``.
    package static func find(
        _ process: ProcessView, sharesNames: Bool, hasAppArmor: Bool, runtimeFolder: String
    ) throws(SandboxDoubt) -> SandboxedApplication? {
        if hasAppArmor, let label = try? process.appArmorLabel(), let snap = SnapLabel.application(label) {
            return snap
        }
        // A sandbox has another file system.
        guard !sharesNames else { return nil }
        return try FlatpakInstance.application(of: process, runtimeFolder: runtimeFolder)
    }
}

/// The reason why a process in a sandbox is no application that is known.
package enum SandboxDoubt: Error, Equatable {
    /// It cannot be looked at.
    case hidden(SystemError)
    /// Its description says that it is this application, and is not what the sandbox's maker has written.
    case forged(application: String, why: String)
}
