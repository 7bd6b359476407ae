internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import SyncFormat

/// The place over which the devices of a ``TestCircle`` synchronise: batches in memory, which only a device that is
/// online reaches.
final class SimulatedPlace: Sendable {
    private let slots = Lock<[SyncSlot: [UInt8]]>([:])

    /// Its name for the keychain. Nothing is there.
    static let name = "/simulated"

    /// Takes what a device has, then gives it what others have.
    ///
    /// - Returns: whether anything went either way.
    func exchange(with device: DeviceCommand) throws(Refusal) -> Bool {
        let sent = try take(from: device)
        return try give(to: device) || sent
    }

    private func take(from device: DeviceCommand) throws(Refusal) -> Bool {
        var count = 0
        while true {
            let room = try Self.room()
            guard case .next(let sending) = try device.ask(.next, files: [room]) else { throw .malformed("the slot") }
            guard let sending else { return count > 0 }
            let bytes = try Self.bytes(of: room, Int(sending.size))
            let theirs = slots.withLock { slots -> [UInt8]? in
                if slots[sending.slot] == nil { slots[sending.slot] = bytes }
                return slots[sending.slot] == bytes ? nil : slots[sending.slot]
            }
            let files = try theirs.map { bytes throws(Refusal) in [try Self.file(bytes)] } ?? []
            _ = try device.ask(.committed(sending.slot, isOccupied: theirs != nil), files: files)
            if theirs != nil { return count > 0 }
            count += 1
        }
    }

    private func give(to device: DeviceCommand) throws(Refusal) -> Bool {
        let before = try Self.positions(of: device)
        for slot in before.wanted {
            if let bytes = slots.withLock({ $0[slot] }) { try Self.give(bytes, in: slot, to: device) }
        }
        var view = SyncView()
        for (slot, bytes) in batches() {
            view.ends[slot.device] = max(view.ends[slot.device] ?? 0, slot.seq)
            if slot.seq > before.heads[slot.device] ?? 0 { try Self.give(bytes, in: slot, to: device) }
        }
        _ = try device.ask(.seen(view))
        let after = try Self.positions(of: device)
        return after.heads != before.heads || after.wanted != before.wanted
    }

    /// Each log in its order.
    private func batches() -> [(SyncSlot, [UInt8])] {
        slots.withLock { $0 }.filter { $0.key.part == nil }
            .sorted { ($0.key.device, $0.key.seq) < ($1.key.device, $1.key.seq) }.map { ($0.key, $0.value) }
    }

    private static func positions(of device: DeviceCommand) throws(Refusal) -> SyncPositions {
        guard case .positions(let positions) = try device.ask(.positions) else { throw .malformed("the positions") }
        return positions
    }

    private static func give(_ bytes: [UInt8], in slot: SyncSlot, to device: DeviceCommand) throws(Refusal) {
        _ = try device.ask(.take(slot), files: [try file(bytes)])
    }

    // MARK: - Memory files

    private static func file(_ bytes: [UInt8]) throws(Refusal) -> FileDescriptor {
        try filing { () throws(SystemError) in try PasscodeFile.make(SecretBytes(copying: bytes.span)) }
    }

    private static func room() throws(Refusal) -> FileDescriptor {
        try filing { () throws(SystemError) in try PasscodeFile.makeRoom(SyncRequest.roomBytes) }
    }

    private static func bytes(of room: FileDescriptor, _ size: Int) throws(Refusal) -> [UInt8] {
        let bytes = try filing { () throws(SystemError) in
            try PasscodeFile.read(room, limit: SyncRequest.roomBytes, deadline: .never)
        }
        return bytes.withSpan { $0.array(0, min(size, $0.count)) }
    }

    private static func filing<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
        do throws(SystemError) { return try body() } catch {
            throw Refusal(
                .allocate, .unavailable, "memory", "There is no memory for a batch: \(error).", do: "Try again.")
        }
    }
}
