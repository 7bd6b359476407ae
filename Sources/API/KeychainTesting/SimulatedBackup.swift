internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// A backup of a simulated device's keychain, as `security backup` makes it; its passphrase is the simulated user's
/// business.
public struct SimulatedBackup: Sendable {
    /// How many items are in it. Items of the device alone (`ThisDeviceOnly`) and items that the user has to be asked
    /// for stay behind.
    public let items: Int

    private let header, manifest: [UInt8]
    private let parts: [[UInt8]]

    private static let passphrase = "a passphrase of tests"

    /// Makes a backup with the keychain's own command.
    init(_ device: SimulatedDevice) throws(Refusal) {
        let command = DeviceCommand(device: device)
        let texts = [device.knownPasscode ?? "", Self.passphrase]
        guard case .begun(let beginning) = try command.ask(.begin(by: .passcode), texts) else {
            throw .malformed("the beginning of a backup")
        }
        var parts: [[UInt8]] = []
        while true {
            guard case .piece(let piece) = try command.ask(.next(ticket: beginning.ticket)) else {
                throw .malformed("a piece of a backup")
            }
            guard piece.kind == .part else {
                _ = try command.ask(.end(ticket: beginning.ticket, isWritten: true))
                (header, manifest, self.parts) = (beginning.header, piece.box, parts)
                items = Int(clamping: piece.items)
                return
            }
            parts.append(piece.box)
        }
    }

    /// Takes it into a keychain.
    ///
    /// - Returns: how many items were added, or were later than those that were there.
    func restore(on device: SimulatedDevice) throws(Refusal) -> Int {
        let command = DeviceCommand(device: device)
        let opening = BackupOpening(.restore, by: .passcode, .passphrase, header: header, manifest: manifest)
        let texts = [device.knownPasscode ?? "", Self.passphrase]
        guard case .opened(let contents) = try command.ask(.open(opening), texts) else {
            throw .malformed("an opened backup")
        }
        _ = try take(contents.ticket, applies: false, command)
        let taken = try take(contents.ticket, applies: true, command)
        _ = try command.ask(.end(ticket: contents.ticket, isWritten: false))
        return taken.count { $0.outcome == .added || $0.outcome == .replaced }
    }

    private func take(
        _ ticket: [UInt8], applies: Bool, _ command: DeviceCommand
    ) throws(Refusal) -> [RestoredItem] {
        var items: [RestoredItem] = []
        for (index, box) in parts.enumerated() {
            let request = BackupRequest.take(ticket: ticket, applies: applies, index: UInt32(index), box: box)
            guard case .taken(let taken) = try command.ask(request) else { throw .malformed("a part of a backup") }
            items += taken
        }
        return items
    }
}

extension TestKeychain {
    /// Makes a backup of the keychain, as its user does with `security backup`.
    ///
    /// - Throws: ``TestKeychainError`` with what the device says, such as `errSecInteractionNotAllowed` while it is
    ///   locked.
    public func backUp() throws -> SimulatedBackup {
        try reportingToTest { () throws(Refusal) in try SimulatedBackup(device) }
    }

    /// Restores a backup of this or another keychain, as its user does with `security restore`. Of each item the later
    /// version stays; an item that was deleted since comes back.
    ///
    /// - Returns: how many items were added, or were later than those that were there.
    /// - Throws: ``TestKeychainError`` with what the device says.
    @discardableResult
    public func restore(_ backup: SimulatedBackup) throws -> Int {
        try reportingToTest { () throws(Refusal) in try backup.restore(on: device) }
    }
}
