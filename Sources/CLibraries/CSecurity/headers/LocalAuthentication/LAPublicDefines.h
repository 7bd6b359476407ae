// Numbers of policies, errors and credentials. The objects of LocalAuthentication are classes: C has its numbers only.
#ifndef LOCALAUTHENTICATION_LAPUBLICDEFINES_H
#define LOCALAUTHENTICATION_LAPUBLICDEFINES_H

// Policies:
#define kLAPolicyDeviceOwnerAuthenticationWithBiometrics 1  // Biometry alone.
#define kLAPolicyDeviceOwnerAuthentication 2  // Biometry or the passcode.
#define kLAPolicyDeviceOwnerAuthenticationWithCompanion 3  // A paired device nearby.
#define kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion 4  // Biometry or a paired device nearby.
#define kLAPolicyDeviceOwnerAuthenticationWithWristDetection 5  // The device is worn.
// The older name of kLAPolicyDeviceOwnerAuthenticationWithCompanion.
#define kLAPolicyDeviceOwnerAuthenticationWithWatch kLAPolicyDeviceOwnerAuthenticationWithCompanion
// The older name of kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion.
#define kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrWatch \
    kLAPolicyDeviceOwnerAuthenticationWithBiometricsOrCompanion

// Biometry:
#define kLABiometryTypeNone 0  // No biometry.
#define kLABiometryTypeTouchID 1  // Fingers.
#define kLABiometryTypeFaceID 2  // The face.
#define kLABiometryTypeOpticID 4  // The eyes.

// Paired devices:
#define kLACompanionTypeWatch 1  // A watch.
#define kLACompanionTypeMac 2  // A computer.
#define kLACompanionTypeVision 4  // A headset.

// Credentials:
#define kLACredentialTypeApplicationPassword 0  // The password of an item made with .applicationPassword.
#define kLACredentialSmartCardPIN (-3)  // The number of a smart card.

// Operations that an access control is evaluated for:
#define kLAAccessControlOperationCreateItem 0  // An item is added.
#define kLAAccessControlOperationUseItem 1  // The value of an item is read.
#define kLAAccessControlOperationCreateKey 2  // A key is made.
#define kLAAccessControlOperationUseKeySign 3  // A key signs.
#define kLAAccessControlOperationUseKeyDecrypt 4  // A key decrypts.
#define kLAAccessControlOperationUseKeyKeyExchange 5  // A key agrees on a secret.

// Errors:
#define kLAErrorAuthenticationFailed (-1)  // The user did not give valid credentials.
#define kLAErrorUserCancel (-2)  // The user cancelled.
#define kLAErrorUserFallback (-3)  // The user chose the alternative the program offers.
#define kLAErrorSystemCancel (-4)  // The system cancelled.
#define kLAErrorPasscodeNotSet (-5)  // The device has no passcode.
#define kLAErrorBiometryNotAvailable (-6)  // The device has no biometry.
#define kLAErrorBiometryNotEnrolled (-7)  // Nobody is enrolled in the device's biometry.
#define kLAErrorBiometryLockout (-8)  // Biometry failed too often; the passcode is needed first.
#define kLAErrorAppCancel (-9)  // The program cancelled, by invalidate().
#define kLAErrorInvalidContext (-10)  // The context was invalidated before.
#define kLAErrorCompanionNotAvailable (-11)  // No paired device is nearby.
#define kLAErrorBiometryNotPaired (-12)  // The biometric accessory is not paired.
#define kLAErrorBiometryDisconnected (-13)  // The biometric accessory is not connected.
#define kLAErrorInvalidDimensions (-14)  // The dimensions given for an embedded user interface are not valid.
#define kLAErrorNotInteractive (-1004)  // The user would have to be asked, and cannot be.
#define kLAErrorTouchIDNotAvailable kLAErrorBiometryNotAvailable  // The older name of kLAErrorBiometryNotAvailable.
#define kLAErrorTouchIDNotEnrolled kLAErrorBiometryNotEnrolled  // The older name of kLAErrorBiometryNotEnrolled.
#define kLAErrorTouchIDLockout kLAErrorBiometryLockout  // The older name of kLAErrorBiometryLockout.
#define kLAErrorWatchNotAvailable kLAErrorCompanionNotAvailable  // The older name of kLAErrorCompanionNotAvailable.

// The domain of these errors, as text.
#define kLAErrorDomain "com.apple.LocalAuthentication"

#endif
