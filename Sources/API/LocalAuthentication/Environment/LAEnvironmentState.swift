internal import KeychainWire

extension LAEnvironment {
    /// The means by which a user could authenticate at one moment. Two states are equal when nothing differs.
    public final class State: NSObject, NSCopying, Sendable {
        private let device: AuthenticationCapabilities
        /// The biometry; nil without a reader.
        public let biometry: MechanismBiometry?
        /// The passcode of the keychain, set or not.
        public let userPassword: MechanismUserPassword?

        init(_ device: AuthenticationCapabilities) {
            self.device = device
            biometry = device.biometry.state == .unavailable ? nil : MechanismBiometry(device)
            userPassword = MechanismUserPassword(device)
        }

        /// The paired devices; always empty.
        public var companions: [MechanismCompanion] { [] }

        /// All mechanisms.
        public var allMechanisms: [Mechanism] {
            let single: [Mechanism?] = [biometry, userPassword]
            return single.compactMap { $0 } + companions
        }

        /// The state itself, which never changes.
        public func copy(with zone: NSZone? = nil) -> Any { self }

        public override func isEqual(_ object: Any?) -> Bool { (object as? State)?.device == device }

        public override var hash: Int { device.hashValue }
    }

    /// A way to authenticate.
    ///
    /// A class with subclasses cannot prove that it is `Sendable`; everything that this one stores is constant.
    public class Mechanism: NSObject, @unchecked Sendable {
        /// Whether a policy that requires only this mechanism could be met now.
        public let isUsable: Bool
        /// The name of the mechanism for the user, in English.
        public let localizedName: String
        /// The name of an icon in the icon themes of Linux desktops. Apple has names of SF Symbols here.
        public let iconSystemName: String

        fileprivate init(isUsable: Bool, _ localizedName: String, icon: String) {
            (self.isUsable, self.localizedName, self.iconSystemName) = (isUsable, localizedName, icon)
        }
    }

    /// Biometry as a way to authenticate.
    public final class MechanismBiometry: Mechanism, @unchecked Sendable {
        /// The kind of biometry.
        public let biometryType: LABiometryType
        /// Whether a finger is enrolled.
        public let isEnrolled: Bool
        /// Whether only the passcode helps, after too many misses.
        public let isLockedOut: Bool
        /// Bytes that change when a finger is enrolled or removed; empty while none is enrolled.
        public let stateHash: Data

        fileprivate init(_ device: AuthenticationCapabilities) {
            biometryType = LABiometryType(device.biometry)
            isEnrolled = !device.biometry.enrolment.isEmpty
            isLockedOut = device.biometry.state == .lockedOut
            stateHash = Data(device.biometry.enrolment)
            super.init(
                isUsable: LAPolicy.deviceOwnerAuthenticationWithBiometrics.obstacle(device) == nil,
                "Fingerprint", icon: "auth-fingerprint")
        }

        /// Whether the reader exists but is out of reach, as in a closed computer; always false here.
        public var builtInSensorInaccessible: Bool { false }
    }

    /// A kind of paired device as a way to authenticate. This system pairs with none.
    public final class MechanismCompanion: Mechanism, @unchecked Sendable {
        /// The kind of device.
        public let type: LACompanionType
        /// Bytes that change with the paired devices of this kind.
        public let stateHash: Data?

        fileprivate init(_ type: LACompanionType) {
            (self.type, stateHash) = (type, nil)
            super.init(isUsable: false, "Paired device", icon: "phone")
        }
    }

    /// The passcode as a way to authenticate.
    public final class MechanismUserPassword: Mechanism, @unchecked Sendable {
        /// Whether there is a passcode.
        public let isSet: Bool

        fileprivate init(_ device: AuthenticationCapabilities) {
            isSet = device.passcodeIsSet
            super.init(
                isUsable: LAPolicy.deviceOwnerAuthentication.obstacle(device) == nil,
                "Passcode", icon: "dialog-password")
        }
    }
}
