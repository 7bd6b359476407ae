// swift-format-ignore-file: AlwaysUseLowerCamelCase

// The names that C has for the values of the enumerations.

/// Biometry alone.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometrics: Int32 = 1
/// Biometry or the passcode.
public let kLAPolicyDeviceOwnerAuthentication: Int32 = 2
/// A paired device nearby.
public let kLAPolicyDeviceOwnerAuthenticationWithCompanion: Int32 = 3
/// Biometry or a paired device nearby.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion: Int32 = 4
/// The device is worn.
public let kLAPolicyDeviceOwnerAuthenticationWithWristDetection: Int32 = 5
/// The older name of `kLAPolicyDeviceOwnerAuthenticationWithCompanion`.
public let kLAPolicyDeviceOwnerAuthenticationWithWatch = kLAPolicyDeviceOwnerAuthenticationWithCompanion
/// The older name of `kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion`.
public let kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch =
    kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion

/// No biometry.
public let kLABiometryTypeNone: Int32 = 0
/// Fingers.
public let kLABiometryTypeTouchID: Int32 = 1
/// The face.
public let kLABiometryTypeFaceID: Int32 = 2
/// The eyes.
public let kLABiometryTypeOpticID: Int32 = 4

/// A watch.
public let kLACompanionTypeWatch: Int32 = 1
/// A computer.
public let kLACompanionTypeMac: Int32 = 2
/// A headset.
public let kLACompanionTypeVision: Int32 = 4

/// The password of an item made with `.applicationPassword`.
public let kLACredentialTypeApplicationPassword: Int32 = 0
/// The number of a smart card.
public let kLACredentialSmartCardPIN: Int32 = -3

/// An item is added.
public let kLAAccessControlOperationCreateItem: Int32 = 0
/// The value of an item is read.
public let kLAAccessControlOperationUseItem: Int32 = 1
/// A key is made.
public let kLAAccessControlOperationCreateKey: Int32 = 2
/// A key signs.
public let kLAAccessControlOperationUseKeySign: Int32 = 3
/// A key decrypts.
public let kLAAccessControlOperationUseKeyDecrypt: Int32 = 4
/// A key agrees on a secret.
public let kLAAccessControlOperationUseKeyKeyExchange: Int32 = 5
