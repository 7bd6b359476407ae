import KeychainClient
package import KeychainModel
package import KeychainWire
import LinuxSystem
package import SyncFormat
package import SyncTransports

/// The daemon behind a connection, as a carrier asks it. The bytes of slots travel in memory files.
package struct DaemonCircle: CircleDaemon {
    private let connection: any KeychainConnection
    /// The milliseconds of one call: a batch of many items is merged in one.
    private static let patience = 60_000
    /// Milliseconds after which a keychain that is not opened is looked at all the same.
    private static let longestWait: UInt32 = 240_000

    init(_ connection: any KeychainConnection) { self.connection = connection }

    package func positions() throws(Refusal) -> SyncPositions? {
        do throws(Refusal) {
            guard case .positions(let positions) = try ask(.positions) else { throw .unexpectedReply }
            return positions
        } catch {
            guard error.rule == .noCircle else { throw error }
            return nil
        }
    }

    /// As ``positions()``, after the first unlock since the machine's start: before, nothing of a circle can be read.
    func positionsOfOpened() throws(Refusal) -> SyncPositions? {
        var number = try wait(after: .max, milliseconds: 0)
        while true {
            do throws(Refusal) { return try positions() } catch { guard error.rule == .locked else { throw error } }
            number = try wait(after: number, milliseconds: Self.longestWait)
        }
    }

    package func take(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) -> SyncVerdict {
        guard case .taken(let verdict) = try ask(.take(slot), [try Self.file(bytes)]) else { throw .unexpectedReply }
        return verdict
    }

    package func saw(_ view: SyncView) throws(Refusal) { _ = try ask(.seen(view)) }

    package func next() throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])? {
        let room = try Self.memory { () throws(SystemError) in try SharedMemory(count: SyncRequest.roomBytes) }
        guard case .next(let sending) = try ask(.next, [room.descriptor]) else { throw .unexpectedReply }
        guard let sending else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(sending.size))
        var span = bytes.mutableSpan
        room.read(at: 0, into: &span)
        return (sending.slot, bytes)
    }

    package func ended(_ slot: SyncSlot, _ commitment: Commitment) throws(Refusal) {
        switch commitment {
        case .done: _ = try ask(.committed(slot, isOccupied: false))
        case .occupied(let there):
            _ = try ask(.committed(slot, isOccupied: true), [try Self.file(there ?? [])])
        }
    }

    package func discarded(_ slots: [SyncSlot]) throws(Refusal) { _ = try ask(.discarded(slots)) }

    package func wait(after number: UInt64, milliseconds: UInt32) throws(Refusal) -> UInt64 {
        let request = SyncRequest.wait(number: number, milliseconds: milliseconds)
        guard case .news(let next) = try ask(request, patience: Int(milliseconds) + Self.patience) else {
            throw .unexpectedReply
        }
        return next
    }

    package func pairing(_ look: PairingLook) throws(Refusal) -> SyncPairing? {
        guard case .pairing(let pairing) = try ask(.pairing(look)) else { throw .unexpectedReply }
        return pairing
    }

    private func ask(
        _ request: SyncRequest, _ files: [FileDescriptor] = [], patience: Int = patience
    ) throws(Refusal) -> SyncReply {
        let limit = Deadline.after(milliseconds: patience)
        guard case .sync(let reply) = try connection.device(.sync(request), passcodes: files, by: limit) else {
            throw .unexpectedReply
        }
        return reply
    }

    private static func file(_ bytes: [UInt8]) throws(Refusal) -> FileDescriptor {
        try memory { () throws(SystemError) in try PasscodeFile.make(SecretBytes(copying: bytes.span)) }
    }

    private static func memory<Result>(_ make: () throws(SystemError) -> Result) throws(Refusal) -> Result {
        do throws(SystemError) { return try make() } catch {
            throw Refusal(
                .notAvailable, .unavailable, "memory", "There is no memory for a batch: \(error).",
                do: "Try again when the machine has more.")
        }
    }
}

extension Refusal {
    fileprivate static let unexpectedReply = Refusal(
        .notAvailable, .unavailable, "daemon", "The keychain daemon answers something else than it was asked.",
        do: "Install keychaind and keychain-carrier of one release.")
}
