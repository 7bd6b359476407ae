internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import SyncFormat

/// Simulated devices of one user whose keychains synchronise, for a program that stores items with
/// `kSecAttrSynchronizable`.
///
///     let circle = try TestCircle(["laptop", "phone"])
///     circle["laptop"].keychain.run { save("token") }
///     try circle.synchronize()
///     circle["phone"].keychain.run { #expect(load() == "token") }
///
/// Nothing travels by itself: ``synchronize()`` carries all that there is, and nothing else does. There is no daemon,
/// no network and no folder between the devices. They exchange what real devices exchange, encrypted.
public final class TestCircle: Sendable {
    /// The passcode of devices that have none when they come to a circle, which takes one.
    public static let passcode = "1234"

    private let place = SimulatedPlace()
    private let accessGroups: [String]
    private let members = Lock<[CircleDevice]>([])

    /// Makes devices that belong to one circle.
    ///
    /// - Parameters:
    ///   - names: the names of the devices, at least one.
    ///   - accessGroups: the access groups of the program under test, on each device.
    /// - Throws: ``TestKeychainError`` when a store cannot be made, and for a name that no device can have.
    public init(_ names: [String], accessGroups: [String] = ["TEST.program"]) throws {
        self.accessGroups = accessGroups
        for name in names { try add(name) }
        guard !names.isEmpty else { throw TestKeychainError(.noDevices) }
    }

    /// The devices that were added, in that order; also those that were removed from the circle since.
    public var devices: [CircleDevice] { members.withLock { $0 } }

    /// The device with a name. To name one that was never added ends the test's process.
    public subscript(name: String) -> CircleDevice {
        guard let device = devices.first(where: { $0.name == name }) else {
            preconditionFailure("No device \"\(name)\" was added to the circle.")
        }
        return device
    }

    /// Adds a device, as its user does on both, and synchronises. Its items travel to the others, too.
    ///
    /// - Parameter keychain: the device's keychain, such as one with items from before; a new one without it.
    /// - Throws: ``TestKeychainError`` where no device of the circle is online to add it, or the name is there already.
    @discardableResult
    public func add(_ name: String, keychain: TestKeychain? = nil) throws -> CircleDevice {
        let device = CircleDevice(name, try keychain ?? TestKeychain(accessGroups: accessGroups))
        if try !device.device.hasPasscode { try device.device.setPasscode(Self.passcode) }
        try reportingToTest { () throws(Refusal) in
            guard !devices.contains(where: { $0.name == name }) else { throw .deviceIsThere(name) }
            if devices.isEmpty {
                _ = try device.command.change(.begin(place: SimulatedPlace.name, name: name))
            } else {
                try join(device, try introducer(besides: nil))
            }
        }
        members.withLock { $0.append(device) }
        try synchronize()
        return device
    }

    private func join(_ device: CircleDevice, _ introducer: CircleDevice) throws(Refusal) {
        let circle = try introducer.status().circle
        let change = CircleChange.join(circle, place: SimulatedPlace.name, name: device.name)
        guard let status = try device.command.change(change) else { throw .malformed("the circle") }
        _ = try introducer.command.change(.add(status.keys, name: device.name))
    }

    /// Removes a device from the circle, on another one that is online. The others learn it with the next
    /// ``synchronize()``; the device keeps its items, and gets none that are stored from then on.
    ///
    /// - Throws: ``TestKeychainError`` where no other device of the circle is online.
    public func remove(_ device: CircleDevice) throws {
        try reportingToTest { () throws(Refusal) in
            let remover = try introducer(besides: device)
            _ = try remover.command.change(.remove(try device.status().me, keeping: []))
        }
    }

    /// The first device that is online and belongs to the circle.
    private func introducer(besides other: CircleDevice?) throws(Refusal) -> CircleDevice {
        for device in devices where device !== other && device.isOnline {
            if try device.status().standing == .isIn { return device }
        }
        throw .nobodyOnline
    }

    /// Carries everything between the devices that are online, until each has what the others have. A device that was
    /// not unlocked since it was started is waited for.
    ///
    /// - Throws: ``TestKeychainError`` with what a device says.
    public func synchronize() throws {
        try reportingToTest { () throws(Refusal) in
            var hasMore = true
            while hasMore {
                hasMore = false
                for device in devices where device.isOnline {
                    if try exchange(with: device) { hasMore = true }
                }
            }
        }
    }

    private func exchange(with device: CircleDevice) throws(Refusal) -> Bool {
        do throws(Refusal) { return try place.exchange(with: device.command) } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            return false
        }
    }
}

/// A device of a ``TestCircle``.
public final class CircleDevice: Sendable {
    /// Its name in the circle.
    public let name: String
    /// Its keychain, which belongs to the circle.
    public let keychain: TestKeychain
    private let hasConnection = Lock(true)

    init(_ name: String, _ keychain: TestKeychain) { (self.name, self.keychain) = (name, keychain) }

    /// The device itself, which can be locked, unlocked and restarted.
    public var device: SimulatedDevice { keychain.device }

    /// Whether ``TestCircle/synchronize()`` reaches the device. One that is not goes on with what it has.
    public var isOnline: Bool { hasConnection.withLock { $0 } }

    /// Cuts the device off from the others.
    public func goOffline() { hasConnection.withLock { $0 = false } }

    /// Connects the device again. Missed changes come with the next ``TestCircle/synchronize()``.
    public func goOnline() { hasConnection.withLock { $0 = true } }

    /// Whether the device knows that another one has removed it.
    ///
    /// - Throws: ``TestKeychainError`` with what the device says.
    public var isRemoved: Bool {
        get throws { try reportingToTest { () throws(Refusal) in try status().standing == .isRemoved } }
    }

    /// How many changes of its items the others have not been sent.
    ///
    /// - Throws: ``TestKeychainError`` with what the device says.
    public var unsentChanges: Int {
        get throws { try reportingToTest { () throws(Refusal) in Int(clamping: try status().unsent) } }
    }

    var command: DeviceCommand { DeviceCommand(device: device) }

    func status() throws(Refusal) -> SyncStatus {
        guard case .status(let status) = try command.ask(SyncRequest.status) else { throw .malformed("the status") }
        guard let status else { throw .inNoTestCircle }
        return status
    }
}

/// Runs something, and tells a test of a refusal.
func reportingToTest<Result>(_ body: () throws(Refusal) -> Result) throws -> Result {
    do throws(Refusal) { return try body() } catch { throw TestKeychainError(error) }
}

extension Refusal {
    fileprivate static let noDevices = Refusal(
        .param, .contradiction, "names", "A circle has at least one device.", do: "Give it a name.")

    fileprivate static func deviceIsThere(_ name: String) -> Refusal {
        Refusal(
            .param, .contradiction, "name", "A device \"\(name)\" was added to the circle before.",
            do: "Give the other one another name.")
    }

    fileprivate static let nobodyOnline = Refusal(
        .notAvailable, .unavailable, "circle", "No other device of the circle is online.",
        do: "Let one of them go online.")

    fileprivate static let inNoTestCircle = Refusal(
        .notAvailable, .unavailable, "circle", "The device belongs to no circle.", do: "Add it to a TestCircle.")
}
