package import KeychainModel
package import LinuxSystem

/// The state of a keychain's device, for people and programs to look at (rule protection.level.status).
package struct DeviceStatus: Equatable, Sendable {
    /// The protection that an attacker with a copy of the disk has to overcome.
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
    /// Whether store and vault are the newest.
    package var age: KeychainAge

    package init(
        protection: Protection, lockState: LockState, passcodeIsSet: Bool, failedAttempts: UInt32, retryAfter: UInt32,
        deployment: String, location: String, enclave: String, age: KeychainAge = .current
    ) {
        self.protection = protection
        self.lockState = lockState
        self.passcodeIsSet = passcodeIsSet
        self.failedAttempts = failedAttempts
        self.retryAfter = retryAfter
        self.deployment = deployment
        self.location = location
        self.enclave = enclave
        self.age = age
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(protection.rawValue)
        buffer.append(lockState.rawValue)
        buffer.append(passcodeIsSet ? 1 : 0)
        buffer.append(littleEndian: failedAttempts)
        buffer.append(littleEndian: retryAfter)
        for text in [deployment, location, enclave] { buffer.append(text: text) }
        buffer.append(age.rawValue)
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
        age = try KeychainAge(from: &reader)
    }
}

/// The answer to a watch: the state, and the number it has (``StateEpoch``).
///
///     news = epoch:u32 status
package struct DeviceStateChange: Equatable, Sendable {
    package var epoch: UInt32
    package var status: DeviceStatus

    package init(epoch: UInt32, status: DeviceStatus) { (self.epoch, self.status) = (epoch, status) }

    package func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: epoch)
        status.append(to: buffer)
    }

    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        epoch = try reader.integer(UInt32.self)
        status = try DeviceStatus(from: &reader)
    }
}
