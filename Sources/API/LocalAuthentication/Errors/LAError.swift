/// An error of authentication, in the domain `LAErrorDomain`. Source: Apple, `LAError`.
public struct LAError: _BridgedStoredNSError, Sendable {
    /// The error as Foundation's class.
    public let _nsError: NSError

    /// Wraps an error of the domain; an error of another domain traps.
    public init(_nsError error: NSError) {
        precondition(error.domain == LAErrorDomain, "LAError wraps only errors of LAErrorDomain.")
        _nsError = error
    }

    /// The domain.
    public static var _nsErrorDomain: String { LAErrorDomain }

    /// Why authentication failed.
    public enum Code: Int, _ErrorCodeProtocol, Sendable {
        /// The error this is the code of.
        public typealias _ErrorType = LAError

        /// The user did not give valid credentials.
        case authenticationFailed = -1
        /// The user cancelled.
        case userCancel = -2
        /// The user chose the alternative the program offers.
        case userFallback = -3
        /// The system cancelled.
        case systemCancel = -4
        /// The device has no passcode.
        case passcodeNotSet = -5
        /// The device has no biometry.
        case biometryNotAvailable = -6
        /// Nobody is enrolled in the device's biometry.
        case biometryNotEnrolled = -7
        /// Biometry failed too often; the passcode is needed first.
        case biometryLockout = -8
        /// The program cancelled, by `invalidate()`.
        case appCancel = -9
        /// The context was invalidated before.
        case invalidContext = -10
        /// No paired device is nearby.
        case companionNotAvailable = -11
        /// The biometric accessory is not paired.
        case biometryNotPaired = -12
        /// The biometric accessory is not connected.
        case biometryDisconnected = -13
        /// The dimensions given for an embedded user interface are not valid.
        case invalidDimensions = -14
        /// The user would have to be asked, and cannot be.
        case notInteractive = -1004
    }
}

extension LAError: _ObjectiveCBridgeable {
    /// The class that `as` casts to.
    public typealias _ObjectiveCType = NSError

    /// Serves `error as NSError`.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// Serves `error as! LAError`.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) {
        result = LAError(_nsError: source)
    }

    /// Serves `error as? LAError`, which on Linux would be nil for an error in the form of its Foundation class.
    public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout LAError?) -> Bool {
        result = source.domain == LAErrorDomain ? LAError(_nsError: source) : nil
        return result != nil
    }

    /// Serves the compiler where a value is promised; nil traps.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> LAError {
        LAError(_nsError: source!)
    }
}
