internal import KeychainWire

/// The parts of the device's authentication that a program can watch for changes: its biometry and its paired devices.
///
/// The state does not tell who is enrolled. Equal bytes mean that nothing has changed.
public final class LADomainState: NSObject, Sendable {
    /// The state of the biometry.
    public let biometry: LADomainStateBiometry
    /// The state of the paired devices, of which there are none.
    public let companion = LADomainStateCompanion()

    init(_ status: BiometryStatus) { biometry = LADomainStateBiometry(status) }

    /// Bytes that change when a finger is enrolled or removed; nil while none is enrolled.
    public var stateHash: Data? { biometry.stateHash }
}

/// The state of a device's biometry.
public final class LADomainStateBiometry: NSObject, Sendable {
    /// The kind of biometry.
    public let biometryType: LABiometryType
    /// Bytes that change when a finger is enrolled or removed; nil while none is enrolled.
    public let stateHash: Data?

    init(_ status: BiometryStatus) {
        biometryType = LABiometryType(status)
        stateHash = status.enrolment.isEmpty ? nil : Data(status.enrolment)
    }
}

/// The state of a device's paired devices. This system pairs with none.
public final class LADomainStateCompanion: NSObject, Sendable {
    /// The kinds of devices that are paired: none.
    public var availableCompanionTypes: Set<LACompanionType> { [] }
    /// Bytes that change with the paired devices: nil, as there are none.
    public var stateHash: Data? { nil }

    override init() {}

    /// Bytes that change with the paired devices of a kind: nil, as there are none.
    public func stateHash(for companionType: LACompanionType) -> Data? { nil }
}

extension LABiometryType {
    /// All readers of this system are fingerprint readers.
    init(_ status: BiometryStatus) { self = status.state == .unavailable ? .none : .touchID }
}
