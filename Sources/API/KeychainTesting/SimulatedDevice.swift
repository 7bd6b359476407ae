internal import EmbeddedKeychain
internal import KeychainClient
internal import KeychainModel
internal import KeychainPolicy
internal import KeychainWire
internal import LinuxSystem
internal import SecureEnclave
internal import SyncService

/// The device a ``TestKeychain`` is on: it can be locked, unlocked and restarted, has a passcode or none, and time
/// passes when the test says so.
public final class SimulatedDevice: Sendable {
    /// The effects of a locked, unlocked or restarted device on the keychain.
    public enum LockState: Sendable { case beforeFirstUnlock, locked, unlocked }

    /// The person before the device, who answers its prompts.
    public let user = SimulatedUser()

    private let folder: String
    private let clock = SimulatedClock()
    private let passcode = Lock<String?>(nil)
    /// Not a `Lock`: a forked child would find it locked for ever if another thread held it.
    private let keychain = ProcessLocal<EmbeddedKeychain?>(nil)

    init(folder: String) throws {
        self.folder = folder
        try start()
    }

    /// Locks the device. Without a passcode there is nothing to lock, as on a phone without one.
    public func lock() throws { try ask(.lock) }

    /// Unlocks the device.
    ///
    /// - Throws: ``TestKeychainError`` with `errSecAuthFailed` for a wrong passcode, or while too many wrong ones are
    ///   waited out.
    public func unlock(passcode: String) throws { try ask(.unlock, passcode) }

    /// Sets a passcode on a device without one.
    public func setPasscode(_ passcode: String) throws {
        try ask(.setPasscode, passcode)
        self.passcode.withLock { $0 = passcode }
    }

    /// Changes the passcode.
    public func changePasscode(from old: String, to new: String) throws {
        try ask(.setPasscode, old, new)
        passcode.withLock { $0 = new }
    }

    /// Removes the passcode; items that need one are gone.
    public func removePasscode(_ passcode: String) throws {
        try ask(.removePasscode, passcode)
        self.passcode.withLock { $0 = nil }
    }

    /// Switches the device off and on: everything not on disk is forgotten, and no passcode has been entered yet.
    public func restart() throws {
        close()
        try start()
    }

    /// Lets time pass for the device, such as the waiting time after wrong passcodes.
    public func advance(seconds: Double) { clock.advance(by: seconds) }

    /// Enrols a finger; the first one makes biometry ready.
    public func enrol(finger: String) { user.changeSensor { $0.enrol(finger) } }

    /// Removes an enrolled finger; without one there is no biometry.
    public func removeFinger(_ name: String) { user.changeSensor { $0.remove(name) } }

    /// Attaches the fingerprint reader, which is there at first, or takes it away; it keeps its fingers.
    public func setSensor(present: Bool) { user.changeSensor { $0.isPresent = present } }

    /// Whether the device has a fingerprint reader.
    public var hasSensor: Bool { user.sensor.isPresent }

    /// Whether the device is locked.
    public var lockState: LockState {
        get throws {
            switch try status().lockState {
            case .beforeFirstUnlock: .beforeFirstUnlock
            case .locked: .locked
            case .unlocked: .unlocked
            }
        }
    }

    /// Whether a passcode is set.
    public var hasPasscode: Bool { get throws { try status().passcodeIsSet } }

    /// Opens every item and says how many do not open.
    public func damagedItems() throws -> Int {
        do throws(Refusal) { return try current().verifyAll { _, _ in }.damage.count } catch {
            throw TestKeychainError(error)
        }
    }

    func close() { withKeychain { $0 = nil } }

    func current() throws(Refusal) -> EmbeddedKeychain {
        guard let keychain = withKeychain({ $0 }) else {
            throw Refusal(
                .notAvailable, .unavailable, "device", "The simulated device is switched off.",
                do: "Keep the TestKeychain.")
        }
        return keychain
    }

    private func withKeychain<Result>(_ body: (inout EmbeddedKeychain?) -> Result) -> Result {
        keychain.withValue(inChild: { _ in }, body)
    }

    private func start() throws {
        do throws(Refusal) {
            let (folder, clock, agent) = (folder, clock.deviceClock, SimulatedAgent(user: user))
            let opened = try EmbeddedKeychain(
                folder: folder, circle: { CircleService($0, $1, folder: folder) }
            ) { () throws(Refusal) in
                try SoftwareEnclave(
                    vault: "\(folder)/vault", createIfMissing: true, passcodeCost: .cheapest, clock: clock,
                    userAgent: agent)
            }
            withKeychain { $0 = opened }
        } catch { throw TestKeychainError(error) }
    }

    /// The passcode that was set last, which the user knows; nil for a device without one.
    var knownPasscode: String? { passcode.withLock { $0 } }

    private func status() throws -> DeviceStatus {
        guard case .status(let status) = try ask(.status) else { throw TestKeychainError(.malformed("the status")) }
        return status
    }

    @discardableResult
    private func ask(_ request: DeviceRequest, _ passcodes: String...) throws -> DeviceReply {
        do throws(Refusal) {
            var files: [FileDescriptor] = []
            for passcode in passcodes { files.append(try PasscodeFile.make(passcode)) }
            return try current().device(request, passcodes: files)
        } catch { throw TestKeychainError(error) }
    }
}

/// A program's connection to the device, whichever time it was started.
final class DeviceConnection: KeychainConnection {
    private let device: SimulatedDevice
    private let caller: CallerIdentity

    init(_ device: SimulatedDevice, _ caller: CallerIdentity) {
        self.device = device
        self.caller = caller
    }

    func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        try device.current().seen(by: caller).send(request)
    }

    func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try device.current().seen(by: caller).device(request, passcodes: passcodes)
    }

    func key(_ request: KeyRequest) throws(Refusal) -> KeyReply {
        try device.current().seen(by: caller).key(request)
    }

    func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        try device.current().seen(by: caller).authentication(request, descriptors: descriptors)
    }
}
