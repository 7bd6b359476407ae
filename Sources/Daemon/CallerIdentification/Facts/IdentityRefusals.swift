package import KeychainModel
import LinuxSystem
import Sandboxes

extension Refusal.Rule {
    /// The daemon does not serve this user.
    package static let foreignUser = Self(rawValue: "access.foreign-user")
    /// The caller cannot be looked at.
    package static let unidentifiedCaller = Self(rawValue: "access.unidentified-caller")
    /// The program goes by the name of another file.
    package static let forgedName = Self(rawValue: "access.forged-name")
    /// A sandbox's own name says nothing about the maker of the program.
    package static let forgedSandbox = Self(rawValue: "access.forged-sandbox")
}

extension Refusal {
    static func foreignUser(_ user: UInt32, _ owner: UInt32) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignUser, "uid", "This keychain belongs to user \(owner), not to \(user).",
            do: "Use a keychain of your own: unset KEYCHAIN_SOCKET and KEYCHAIN_HOME.")
    }

    static func noUnit(_ program: String) -> Refusal {
        Refusal(
            .missingEntitlement, .foreignUser, program,
            "The system keychain is for root and for system services; \(program) is neither.",
            do: "Use the keychain of its user, or run it as a unit of the system's service manager.")
    }

    static func forgedName(_ path: String) -> Refusal {
        Refusal(
            .missingEntitlement, .forgedName, path,
            "The program calls itself \(path), but in the file system that others see, there is another file or none.",
            do: "Run it outside of its sandbox, start it again if it was updated, or sign it (docs/guides/signing.md).")
    }

    static func withoutMarker(_ path: String) -> Refusal {
        Refusal(
            .missingEntitlement, .notAnchored, path,
            "\(path) is an anchored program, but its process was not anchored when it connected.",
            do: "Start it without no_new_privs, from a file system not mounted nosuid, and let it connect itself.")
    }

    static func markerInherited(_ path: String) -> Refusal {
        Refusal(
            .missingEntitlement, .notAnchored, path,
            "\(path) was started by a process that had the marker group already, so that the kernel did not anchor it.",
            do: "Take all users out of the marker group, and start it from an ordinary process.")
    }

    static func foreignCode(_ path: String, _ why: String) -> Refusal {
        Refusal(
            .missingEntitlement, .notAnchored, path,
            "\(path) is an anchored program, but has loaded code that others than root can have put there: \(why).",
            do: "Install what it loads where only root can write, and start it again (security anchor lists it).")
    }

    static func notAnchored(_ path: String) -> Refusal {
        Refusal(
            .missingEntitlement, .notAnchored, path,
            "The access groups of \(path) are for the anchored program only, and it is not anchored.",
            do: "Install it owned by root, then anchor it as root: security anchor \(path).")
    }

    /// The result of a look at a sandbox.
    static func unknownSandbox(_ doubt: SandboxDoubt, process: Int32) -> Refusal {
        switch doubt {
        case .hidden(let error): unidentified(error, process: process)
        case .forged(let application, let why): forgedSandbox(application, why)
        }
    }

    private static func forgedSandbox(_ application: String, _ why: String) -> Refusal {
        Refusal(
            .missingEntitlement, .forgedSandbox, application,
            "The sandbox says that it runs \(application), but \(why).", do: "Start the application with flatpak run.")
    }

    /// The result of a look at a caller.
    static func unidentified(_ error: SystemError, process: Int32? = nil) -> Refusal {
        let who = process.map { "The calling program (process \($0))" } ?? "The calling program"
        if error.isDenial {
            return Refusal(
                .notAvailable, .unidentifiedCaller, "program",
                "\(who) lets nobody of its own user look at it, and this daemon is not allowed to look all the same.",
                do:
                    "Use the system service, which has CAP_SYS_PTRACE for this; a daemon of the user's own has not."
            )
        }
        return Refusal(
            .notAvailable, .unidentifiedCaller, "program", "\(who) cannot be identified: \(error).",
            do: "Check that it still runs and that /proc is mounted.")
    }
}
