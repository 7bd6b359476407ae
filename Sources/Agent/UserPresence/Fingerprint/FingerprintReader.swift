import KeychainWire
import LinuxSystem
import Systemd

/// The default fingerprint reader, as fprintd lends it (`net.reactivated.Fprint` on the system bus). Belongs to one
/// thread.
final class FingerprintReader {
    /// fprintd's result of a touch.
    enum Touch: Equatable {
        case matched
        case noMatch
        /// The finger could not be read; the text for the user.
        case unreadable(Text)
        /// The reader has gone, or fprintd failed.
        case lost
    }

    private static let service = "net.reactivated.Fprint"
    /// The name of fprintd for the caller's own user.
    private static let ownUser = ""

    private let bus: SystemBus
    private let device: BusObject
    private var isClaimed = false

    /// Ready for reading when ``touch()`` has to be called.
    var descriptor: FileDescriptor { bus.descriptor }

    /// Finds the reader.
    ///
    /// - Throws: ``BusError`` when there is no bus, no fprintd or no reader.
    init() throws(BusError) {
        bus = try SystemBus()
        let manager = BusObject(Self.service, "/net/reactivated/Fprint/Manager", Self.service + ".Manager")
        let path = try bus.call(manager, "GetDefaultDevice").readText()
        device = BusObject(Self.service, path, Self.service + ".Device")
    }

    deinit {
        // fprintd frees the reader as well when this connection goes.
        guard isClaimed else { return }
        _ = try? bus.call(device, "VerifyStop")
        _ = try? bus.call(device, "Release")
    }

    /// The reader's name.
    func name() throws(BusError) -> String { try bus.property(device, "name", "s").readText() }

    /// The user's enrolment: nothing, or 32 bytes that stand for it.
    func status(user: String) throws(BusError) -> BiometryStatus {
        let fingers = try fingers()
        if fingers.isEmpty { return BiometryStatus(state: .notEnrolled, enrolment: []) }
        let type = try bus.property(device, "scan-type", "s").readText()
        let enrolment = Enrolment(
            reader: try name(), scanType: type, user: user, fingers: fingers, prints: Enrolment.storedPrints(of: user))
        return BiometryStatus(state: .ready, enrolment: enrolment.digest)
    }

    private func fingers() throws(BusError) -> [String] {
        var fingers: [String] = []
        do throws(BusError) {
            let reply = try bus.call(device, "ListEnrolledFingers", [.text(Self.ownUser)])
            try reply.readList("s") { () throws(BusError) in fingers.append(try reply.readText()) }
        } catch {
            guard error.name == Self.service + ".Error.NoEnrolledPrints" else { throw error }
        }
        return fingers
    }

    // MARK: - Touches

    /// Takes the reader and begins to verify against all enrolled fingers.
    ///
    /// - Throws: ``BusError`` when another program has the reader, when no finger is enrolled, or when the user is not
    ///   allowed.
    func begin() throws(BusError) {
        try bus.watch(Self.service, "path='\(device.path)',interface='\(device.interface)',member='VerifyStatus'")
        try bus.call(device, "Claim", [.text(Self.ownUser)])
        isClaimed = true
        try bus.call(device, "VerifyStart", [.text("any")])
    }

    /// The result of a touch; nil when there was none yet.
    func touch() throws(BusError) -> Touch? {
        while let signal = try bus.nextSignal() {
            guard signal.path == device.path, signal.member == "VerifyStatus" else { continue }
            let touch = Self.touch(try signal.readText())
            let isDone = try signal.readFlag()
            if isDone, case .unreadable = touch {
                try bus.call(device, "VerifyStop")
                try bus.call(device, "VerifyStart", [.text("any")])
            }
            return touch
        }
        return nil
    }

    /// The results of fprintd's interface description.
    private static func touch(_ result: String) -> Touch {
        switch result {
        case "verify-match": .matched
        case "verify-no-match": .noMatch
        case "verify-retry-scan": .unreadable(.retry)
        case "verify-swipe-too-short", "verify-too-fast": .unreadable(.tooShort)
        case "verify-finger-not-centered": .unreadable(.notCentred)
        case "verify-remove-and-retry": .unreadable(.liftFinger)
        default: .lost
        }
    }
}
