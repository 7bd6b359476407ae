/// What the user must do before a right is granted.
public final class LAAuthenticationRequirement: NSObject, Sendable {
    /// How the keychain guards what belongs to a right with this requirement.
    let flags: SecAccessControlCreateFlags
    /// What the user is asked for.
    let policy: LAPolicy

    init(flags: SecAccessControlCreateFlags) {
        self.flags = flags
        policy =
            flags.isSubset(of: Self.biometryAlone)
            ? .deviceOwnerAuthenticationWithBiometrics : .deviceOwnerAuthentication
    }

    /// Biometry or the passcode.
    public static let `default` = LAAuthenticationRequirement(flags: .userPresence)

    /// Biometry alone: any finger that is enrolled when the right is authorized.
    public static let biometry = LAAuthenticationRequirement(flags: .biometryAny)

    /// Biometry alone, with the fingers that were enrolled when the right was saved, or authorized for the first time
    /// if it never was. A finger that comes or goes ends the right.
    public static let biometryCurrentSet = LAAuthenticationRequirement(flags: .biometryCurrentSet)

    /// Biometry, and something else where it fails, is missing or is not wanted.
    public static func biometry(fallback: LABiometryFallbackRequirement) -> LAAuthenticationRequirement {
        LAAuthenticationRequirement(flags: fallback.flags)
    }

    /// Whether the user must do the same for both.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? LAAuthenticationRequirement)?.flags == flags
    }

    /// A hash that equal requirements share.
    public override var hash: Int { flags.rawValue.hashValue }

    private static let biometryAlone: SecAccessControlCreateFlags = [.biometryAny, .biometryCurrentSet]
}

/// What may take the place of biometry.
public final class LABiometryFallbackRequirement: NSObject, Sendable {
    /// Biometry together with what may take its place.
    let flags: SecAccessControlCreateFlags

    private init(flags: SecAccessControlCreateFlags) { self.flags = flags }

    /// What the system takes: the passcode.
    public static let `default` = LABiometryFallbackRequirement(flags: .userPresence)

    /// The passcode.
    public static let devicePasscode = LABiometryFallbackRequirement(flags: [.biometryAny, .or, .devicePasscode])
}
