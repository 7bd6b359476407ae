package import KeychainModel
package import LinuxSystem

/// What a caller can ask of the device rather than of the items: its state, its passcode, its health.
///
/// Passcodes are not in the frame: each travels beside it as a sealed memory file, so that the daemon hands it to the enclave
/// without reading it.
package enum DeviceRequest: UInt8, Sendable, CaseIterable {
    case status = 1
    case lock = 2
    /// With one descriptor: the passcode.
    case unlock = 3
    /// With one descriptor, the new passcode; with two, the old one first.
    case setPasscode = 4
    /// With one descriptor: the passcode to remove. Destroys what only a passcode may open (`akpu`).
    case removePasscode = 5
    /// Walks every row and reports those that do not open.
    case verify = 6
    /// With one descriptor: the passcode, or an empty file when none is set. The keys rest on the TPM then.
    case moveToTPM = 7
    /// The same the other way.
    case moveToSoftware = 8

    /// How many passcodes may come with it.
    package var descriptors: ClosedRange<Int> {
        switch self {
        case .status, .lock, .verify: 0...0
        case .unlock, .removePasscode, .moveToTPM, .moveToSoftware: 1...1
        case .setPasscode: 1...2
        }
    }

    /// Appends the body, which is one byte, to a frame under construction.
    package func append(to buffer: SecretBuffer) { buffer.append(rawValue) }

    /// Reads a body.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        guard body.count == 1, let request = body.withSpan({ Self(rawValue: $0[0]) }) else {
            throw .malformed("the device request")
        }
        self = request
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

/// What a walk over all rows found.
package struct VerificationReport: Equatable, Sendable {
    /// A row that does not open, by where it is, never by what is in it.
    package struct Damage: Equatable, Sendable {
        package let itemClass: ItemClass
        package let row: Int64
        package let problem: String

        package init(itemClass: ItemClass, row: Int64, problem: String) {
            self.itemClass = itemClass
            self.row = row
            self.problem = problem
        }
    }

    package var checked: UInt64 = 0
    /// Rows whose class is not open in the present device state; they were left alone.
    package var locked: UInt64 = 0
    package var damage: [Damage] = []
    /// What SQLite's own check found; empty when it found nothing.
    package var file: String = ""

    package init() {}

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: checked)
        buffer.append(littleEndian: locked)
        buffer.append(text: file)
        buffer.append(littleEndian: UInt32(damage.count))
        for row in damage {
            buffer.append(row.itemClass.rawValue)
            buffer.append(littleEndian: row.row)
            buffer.append(text: row.problem)
        }
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        checked = try reader.integer(UInt64.self)
        locked = try reader.integer(UInt64.self)
        file = try reader.text()
        for _ in 0..<(try reader.integer(UInt32.self)) {
            guard let itemClass = ItemClass(rawValue: try reader.integer(UInt8.self)) else {
                throw .malformed("a class")
            }
            damage.append(
                Damage(itemClass: itemClass, row: try reader.integer(Int64.self), problem: try reader.text()))
        }
    }
}
