// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// The domain of errors of authentication.
public let LAErrorDomain = "com.apple.LocalAuthentication"

/// The longest time, in seconds, for which an unlock of the device by biometry can count for a context.
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

// `catch LAError.userCancel` finds the codes here.
extension LAError {
    /// The user did not give valid credentials.
    public static let authenticationFailed = Code.authenticationFailed
    /// The user cancelled.
    public static let userCancel = Code.userCancel
    /// The user chose the alternative the program offers.
    public static let userFallback = Code.userFallback
    /// The system cancelled.
    public static let systemCancel = Code.systemCancel
    /// The device has no passcode.
    public static let passcodeNotSet = Code.passcodeNotSet
    /// The device has no biometry.
    public static let biometryNotAvailable = Code.biometryNotAvailable
    /// Nobody is enrolled in the device's biometry.
    public static let biometryNotEnrolled = Code.biometryNotEnrolled
    /// Biometry failed too often; the passcode is needed first.
    public static let biometryLockout = Code.biometryLockout
    /// The program cancelled, by `invalidate()`.
    public static let appCancel = Code.appCancel
    /// The context was invalidated before.
    public static let invalidContext = Code.invalidContext
    /// No paired device is nearby.
    public static let companionNotAvailable = Code.companionNotAvailable
    /// The biometric accessory is not paired.
    public static let biometryNotPaired = Code.biometryNotPaired
    /// The biometric accessory is not connected.
    public static let biometryDisconnected = Code.biometryDisconnected
    /// The dimensions given for an embedded user interface are not valid.
    public static let invalidDimensions = Code.invalidDimensions
    /// The user would have to be asked, and cannot be.
    public static let notInteractive = Code.notInteractive

    // MARK: - Older names

    /// The older name of `biometryNotAvailable`.
    public static let touchIDNotAvailable = Code.biometryNotAvailable
    /// The older name of `biometryNotEnrolled`.
    public static let touchIDNotEnrolled = Code.biometryNotEnrolled
    /// The older name of `biometryLockout`.
    public static let touchIDLockout = Code.biometryLockout
    /// The older name of `companionNotAvailable`.
    public static let watchNotAvailable = Code.companionNotAvailable
}

extension LAError.Code {
    /// The older name of `biometryNotAvailable`.
    public static let touchIDNotAvailable = biometryNotAvailable
    /// The older name of `biometryNotEnrolled`.
    public static let touchIDNotEnrolled = biometryNotEnrolled
    /// The older name of `biometryLockout`.
    public static let touchIDLockout = biometryLockout
    /// The older name of `companionNotAvailable`.
    public static let watchNotAvailable = companionNotAvailable
}

// MARK: - The codes under their C names

/// The user did not give valid credentials.
public let kLAErrorAuthenticationFailed: Int32 = -1
/// The user cancelled.
public let kLAErrorUserCancel: Int32 = -2
/// The user chose the alternative the program offers.
public let kLAErrorUserFallback: Int32 = -3
/// The system cancelled.
public let kLAErrorSystemCancel: Int32 = -4
/// The device has no passcode.
public let kLAErrorPasscodeNotSet: Int32 = -5
/// The device has no biometry.
public let kLAErrorBiometryNotAvailable: Int32 = -6
/// Nobody is enrolled in the device's biometry.
public let kLAErrorBiometryNotEnrolled: Int32 = -7
/// Biometry failed too often; the passcode is needed first.
public let kLAErrorBiometryLockout: Int32 = -8
/// The program cancelled, by `invalidate()`.
public let kLAErrorAppCancel: Int32 = -9
/// The context was invalidated before.
public let kLAErrorInvalidContext: Int32 = -10
/// No paired device is nearby.
public let kLAErrorCompanionNotAvailable: Int32 = -11
/// The biometric accessory is not paired.
public let kLAErrorBiometryNotPaired: Int32 = -12
/// The biometric accessory is not connected.
public let kLAErrorBiometryDisconnected: Int32 = -13
/// The dimensions given for an embedded user interface are not valid.
public let kLAErrorInvalidDimensions: Int32 = -14
/// The user would have to be asked, and cannot be.
public let kLAErrorNotInteractive: Int32 = -1004
/// The older name of `kLAErrorBiometryNotAvailable`.
public let kLAErrorTouchIDNotAvailable = kLAErrorBiometryNotAvailable
/// The older name of `kLAErrorBiometryNotEnrolled`.
public let kLAErrorTouchIDNotEnrolled = kLAErrorBiometryNotEnrolled
/// The older name of `kLAErrorBiometryLockout`.
public let kLAErrorTouchIDLockout = kLAErrorBiometryLockout
/// The older name of `kLAErrorCompanionNotAvailable`.
public let kLAErrorWatchNotAvailable = kLAErrorCompanionNotAvailable
