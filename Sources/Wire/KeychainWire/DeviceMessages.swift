package import KeychainModel
package import LinuxSystem

/// What a caller can ask of the device rather than of the items: its state, its passcode, its health.
///
/// Passcodes are not in the frame: each travels beside it as a sealed memory file, so that the daemon hands it to the enclave
/// without reading it.
package enum DeviceRequest: Equatable, Sendable {
    case status
    case lock
    /// With one descriptor: the passcode.
    case unlock
    /// With one descriptor, the new passcode; with two, the old one first.
    case setPasscode
    /// With one descriptor: the passcode to remove. Destroys what only a passcode may open (`akpu`).
    case removePasscode
    /// Opens the rows of one page and reports those that do not open.
    case verify(from: VerificationCursor)
    /// With one descriptor: the passcode, or an empty file when none is set. The keys rest on the TPM then.
    case moveToTPM
    /// The same the other way.
    case moveToSoftware

    /// How many passcodes may come with it.
    package var descriptors: ClosedRange<Int> {
        switch self {
        case .status, .lock, .verify: 0...0
        case .unlock, .removePasscode, .moveToTPM, .moveToSoftware: 1...1
        case .setPasscode: 1...2
        }
    }

    private enum Code: UInt8 {
        case status = 1
        case lock = 2
        case unlock = 3
        case setPasscode = 4
        case removePasscode = 5
        case verify = 6
        case moveToTPM = 7
        case moveToSoftware = 8
    }

    private var code: Code {
        switch self {
        case .status: .status
        case .lock: .lock
        case .unlock: .unlock
        case .setPasscode: .setPasscode
        case .removePasscode: .removePasscode
        case .verify: .verify
        case .moveToTPM: .moveToTPM
        case .moveToSoftware: .moveToSoftware
        }
    }

    /// Appends the body to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(code.rawValue)
        if case .verify(let cursor) = self { cursor.append(to: buffer) }
    }

    /// Reads a body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        switch Code(rawValue: try reader.integer(UInt8.self)) {
        case .status: self = .status
        case .lock: self = .lock
        case .unlock: self = .unlock
        case .setPasscode: self = .setPasscode
        case .removePasscode: self = .removePasscode
        case .verify: self = .verify(from: try VerificationCursor(from: &reader))
        case .moveToTPM: self = .moveToTPM
        case .moveToSoftware: self = .moveToSoftware
        case nil: throw .malformed("the device request")
        }
        guard reader.isAtEnd else { throw .malformed("the end of the device request") }
    }
}

/// The state of a keychain's device, for people and programs to look at (S-78).
package struct DeviceStatus: Equatable, Sendable {
    /// What an attacker with a copy of the disk has to overcome.
    package enum Protection: UInt8, Sendable {
        /// Nothing but the file permissions of the device key.
        case softwareOnly = 1
        /// The user's passcode.
        case passcode = 2
        /// A key that a chip does not give away.
        case hardware = 3
    }

    package enum LockState: UInt8, Sendable {
        case beforeFirstUnlock = 1
        case locked = 2
        case unlocked = 3
    }

    package var protection: Protection
    package var lockState: LockState
    package var passcodeIsSet: Bool
    package var failedAttempts: UInt32
    /// Seconds until the next passcode is looked at.
    package var retryAfter: UInt32
    /// Where the engine runs: embedded, user daemon, system daemon.
    package var deployment: String
    /// The folder of the store.
    package var location: String
    /// Whether the class keys live in a process of their own.
    package var enclave: String

    package init(
        protection: Protection, lockState: LockState, passcodeIsSet: Bool, failedAttempts: UInt32, retryAfter: UInt32,
        deployment: String, location: String, enclave: String
    ) {
        self.protection = protection
        self.lockState = lockState
        self.passcodeIsSet = passcodeIsSet
        self.failedAttempts = failedAttempts
        self.retryAfter = retryAfter
        self.deployment = deployment
        self.location = location
        self.enclave = enclave
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(protection.rawValue)
        buffer.append(lockState.rawValue)
        buffer.append(passcodeIsSet ? 1 : 0)
        buffer.append(littleEndian: failedAttempts)
        buffer.append(littleEndian: retryAfter)
        for text in [deployment, location, enclave] { buffer.append(text: text) }
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        guard let protection = Protection(rawValue: try reader.integer(UInt8.self)),
            let lockState = LockState(rawValue: try reader.integer(UInt8.self))
        else { throw .malformed("the device status") }
        self.protection = protection
        self.lockState = lockState
        passcodeIsSet = try reader.integer(UInt8.self) != 0
        failedAttempts = try reader.integer(UInt32.self)
        retryAfter = try reader.integer(UInt32.self)
        (deployment, location, enclave) = (try reader.text(), try reader.text(), try reader.text())
    }
}
