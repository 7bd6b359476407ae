/// A way to authenticate the owner of the device.
public enum LAPolicy: Int, Sendable {
    /// Biometry alone.
    case deviceOwnerAuthenticationWithBiometrics = 1
    /// Biometry or the passcode.
    case deviceOwnerAuthentication = 2
    /// A paired device nearby.
    case deviceOwnerAuthenticationWithCompanion = 3
    /// Biometry or a paired device nearby.
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
    /// The device is worn, and was unlocked since it was put on.
    case deviceOwnerAuthenticationWithWristDetection = 5

    /// The older name of `deviceOwnerAuthenticationWithCompanion`.
    public static let deviceOwnerAuthenticationWithWatch = deviceOwnerAuthenticationWithCompanion
    /// The older name of `deviceOwnerAuthenticationWithBiometricsOrCompanion`.
    public static let deviceOwnerAuthenticationWithBiometricsOrWatch =
        deviceOwnerAuthenticationWithBiometricsOrCompanion
}

/// The kind of biometry a device has.
public enum LABiometryType: Int, Sendable {
    /// None.
    case none = 0
    /// Fingers.
    case touchID = 1
    /// The face.
    case faceID = 2
    /// The eyes.
    case opticID = 4

    // swift-format-ignore: AlwaysUseLowerCamelCase
    /// The oldest name of `none`.
    public static let LABiometryNone = none
}

/// The kind of a paired device.
public enum LACompanionType: Int, Sendable {
    /// A watch.
    case watch = 1
    /// A computer.
    case mac = 2
    /// A headset.
    case vision = 4
}

/// A secret a program can give a context so that the user need not be asked for it.
public enum LACredentialType: Int, Sendable {
    /// The password of an item made with `.applicationPassword`.
    case applicationPassword = 0
    /// The number of a smart card.
    case smartCardPIN = -3
}

/// The operation for which an access control is evaluated.
public enum LAAccessControlOperation: Int, Sendable {
    /// An item is added.
    case createItem = 0
    /// The value of an item is read.
    case useItem = 1
    /// A key is made.
    case createKey = 2
    /// A key signs.
    case useKeySign = 3
    /// A key decrypts.
    case useKeyDecrypt = 4
    /// A key agrees on a secret.
    case useKeyKeyExchange = 5
}
