/// The authentication that a right requires before it is granted.
public final class LAAuthenticationRequirement: NSObject, Sendable {
    /// The access control of the items of a right with this requirement.
    let flags: SecAccessControlCreateFlags
    /// The policy that asks the user.
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

    /// Biometry alone, with the fingers enrolled when the right was saved. A right that was never saved knows the
    /// fingers of its first authorization. An enrolled or removed finger ends the right.
    public static let biometryCurrentSet = LAAuthenticationRequirement(flags: .biometryCurrentSet)

    /// Biometry, or the fallback when it fails, is missing or is not wanted.
    public static func biometry(fallback: LABiometryFallbackRequirement) -> LAAuthenticationRequirement {
        LAAuthenticationRequirement(flags: fallback.flags)
    }

    /// Whether both require the same of the user.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? LAAuthenticationRequirement)?.flags == flags
    }

    /// A hash that equal requirements share.
    public override var hash: Int { flags.rawValue.hashValue }

    private static let biometryAlone: SecAccessControlCreateFlags = [.biometryAny, .biometryCurrentSet]
}

/// The alternative to biometry.
public final class LABiometryFallbackRequirement: NSObject, Sendable {
    /// Biometry together with its alternative.
    let flags: SecAccessControlCreateFlags

    private init(flags: SecAccessControlCreateFlags) { self.flags = flags }

    /// The system's alternative: the passcode.
    public static let `default` = LABiometryFallbackRequirement(flags: .userPresence)

    /// The passcode.
    public static let devicePasscode = LABiometryFallbackRequirement(flags: [.biometryAny, .or, .devicePasscode])
}
