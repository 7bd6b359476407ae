import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncService
import TestSupport

/// A pairing of two machines, whose command runs in a thread of its own. The test plays the carriers and the place.
final class PlayedPairing {
    /// The end of a command.
    final class Side: Sendable {
        let service: CircleService
        /// It outlives the command, as a daemon's keychain does.
        private let keychain: WritePathKeychain
        private let outcome = Monitor<Result<SyncStatus?, Refusal>?>(nil)
        private let thread = Lock<Thread?>(nil)
        let question = SyncedMachine.question

        init(_ machine: SyncedMachine) throws {
            (service, keychain) = (machine.service, machine.keychain)
            let started = try Thread(named: "command") { [self] in
                let end: Result<SyncStatus?, Refusal>
                do throws(Refusal) {
                    end = .success(try service.change(.pair, asking: question, by: soon))
                } catch { end = .failure(error) }
                outcome.update { $0 = end }
            }
            thread.withLock { $0 = started }
        }

        var hasEnded: Bool { outcome.update { $0 != nil } }

        /// The status that the command was given; its refusal is thrown.
        func end() throws -> SyncStatus? {
            guard let end = outcome.wait(deadline: soon, { $0 }) else { throw Refusal.malformed("the command") }
            return try end.get()
        }

        var rule: Refusal.Rule? { refusal { _ = try end() }?.rule }
    }

    /// The messages that the place has, and those that carriers have brought to it.
    var place: [PairingSlot: PairingMessage] = [:]
    private var brought: [PairingMessage] = []

    /// Begins on a member, which shows no digits before the place has its first message.
    func invite(_ machine: SyncedMachine) throws -> Side {
        _ = try machine.service.answer(.invite, [])
        let side = try Side(machine)
        try carry(machine)
        return side
    }

    /// Begins on a newcomer.
    func seek(_ machine: SyncedMachine, at folder: String) throws -> Side {
        _ = try machine.service.answer(.seek(place: folder, name: machine.name), [])
        return try Side(machine)
    }

    /// A machine's messages for its carrier; nil where no pairing is under way.
    func view(_ machine: SyncedMachine) throws -> SyncPairing? {
        guard case .pairing(let view) = try machine.service.answer(.pairing(.none), []) else { return nil }
        return view
    }

    /// Brings what a machine has to the place, and shows it all that is there.
    @discardableResult
    func carry(_ machine: SyncedMachine) throws -> SyncPairing? {
        for bytes in try view(machine)?.messages ?? [] {
            let message = try PairingMessage(decoding: bytes)
            guard !brought.contains(message) else { continue }
            brought.append(message)
            place[message.slot] = place[message.slot] ?? message
        }
        return try show(machine)
    }

    @discardableResult
    func show(_ machine: SyncedMachine) throws -> SyncPairing? {
        let look = PairingLook.shows(place.values.map(\.bytes))
        guard case .pairing(let view) = try machine.service.answer(.pairing(look), []) else { return nil }
        return view
    }

    /// Carries for these machines until something is so.
    func carry(_ machines: [SyncedMachine], until isSo: () throws -> Bool) throws -> Bool {
        try eventually {
            for machine in machines { try carry(machine) }
            return try isSo()
        }
    }

    /// Takes the messages of a pairing that a member has ended away, as its carrier does.
    func clear() { place = [:] }

    func has(_ step: PairingSlot.Step) -> Bool { place.keys.contains { $0.step == step } }
}
