/// The authentication that an item or key requires, and the uses that require it.
public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    /// The bits, with Apple's values.
    public let rawValue: CFOptionFlags

    /// Makes flags from bits.
    public init(rawValue: CFOptionFlags) {
        self.rawValue = rawValue
    }

    // MARK: - Constraints

    /// The user is present: biometry or the passcode.
    public static let userPresence = Self(rawValue: 1 << 0)
    /// Any enrolled finger or face, also one enrolled later.
    public static let biometryAny = Self(rawValue: 1 << 1)
    /// A finger or face enrolled when the item was made; a change of enrolments makes the item unusable for good.
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    /// The passcode of the device.
    public static let devicePasscode = Self(rawValue: 1 << 4)
    /// A paired device nearby.
    public static let companion = Self(rawValue: 1 << 5)

    // MARK: - Combination of several constraints

    /// One of the constraints suffices.
    public static let or = Self(rawValue: 1 << 14)
    /// All constraints must be met. Without this flag the same holds.
    public static let and = Self(rawValue: 1 << 15)

    // MARK: - Additions

    /// The constraints are for using a private key, not for reading a value.
    public static let privateKeyUsage = Self(rawValue: 1 << 30)
    /// A password of the program's own is mixed into the item's encryption.
    public static let applicationPassword = Self(rawValue: 1 << 31)

    // MARK: - Extensions to Apple's API

    /// Only a program that root has anchored may read the value or use the key: the kernel keeps the user's other
    /// programs out of its memory. Apple's systems protect every program in this way, so they have no such flag. Any
    /// program of the group may add, overwrite or delete the item.
    public static let anchoredProgram = Self(rawValue: 1 << 48)

    // MARK: - Older names

    /// The older name of `biometryAny`.
    public static let touchIDAny = biometryAny
    /// The older name of `biometryCurrentSet`.
    public static let touchIDCurrentSet = biometryCurrentSet
    /// The older name of `companion`.
    public static let watch = companion
}
