package import KeychainModel
import KeychainWire
import SyncFormat
package import SyncTransports

/// Carries the messages of the pairing that is under way on this machine, until it ends.
package struct PairingErrand {
    private let daemon: any CircleDaemon
    private let place: (String) throws(Refusal) -> any PairingPlace

    /// A place is looked at so often, in milliseconds.
    private static let pause: UInt32 = 500

    /// - Parameter place: gives the place of a spelling.
    package init(_ daemon: any CircleDaemon, place: @escaping (String) throws(Refusal) -> any PairingPlace) {
        (self.daemon, self.place) = (daemon, place)
    }

    /// Carries until the daemon has no such pairing any more; a member then takes the messages away.
    ///
    /// - Returns: the problem of the place, of which the daemon was told; nil for none.
    /// - Throws: what the daemon refuses with, or `errSecNotAvailable` when it does not answer.
    package func run() throws(Refusal) -> TransportProblem? {
        guard let first = try daemon.pairing(.none) else { return nil }
        let there = try place(first.place)
        do throws(TransportProblem) {
            // A pairing at a place ends those that were begun there before, and were cut off.
            if first.side == .member { try there.removeAll(but: first.session) }
        } catch { return try tell(error) }
        defer { if first.side == .member { try? there.remove(first.session) } }
        return try carry(first, there)
    }

    private func carry(_ first: SyncPairing, _ there: any PairingPlace) throws(Refusal) -> TransportProblem? {
        var (pairing, put, number) = (first, 0, try daemon.wait(after: .max, milliseconds: 0))
        while true {
            var shown: [PairingMessage] = []
            do throws(TransportProblem) {
                for message in pairing.messages.dropFirst(put) {
                    if let message = try? PairingMessage(decoding: message) { try there.put(message) }
                }
                put = pairing.messages.count
                shown = try there.messages(of: pairing.session, atMost: PairingLook.mostMessages)
            } catch { return try tell(error) }
            guard let next = try daemon.pairing(.shows(shown.map(\.bytes))), next.isSame(as: first) else { return nil }
            let hasNews = next.messages.count > put
            pairing = next
            if !hasNews { number = try daemon.wait(after: number, milliseconds: Self.pause) }
        }
    }

    private func tell(_ problem: TransportProblem) throws(Refusal) -> TransportProblem {
        _ = try daemon.pairing(.fails(problem.description.plain))
        return problem
    }
}

extension SyncPairing {
    /// A newcomer has no session at first.
    fileprivate func isSame(as first: SyncPairing) -> Bool {
        side == first.side && place == first.place && (session == first.session || first.session == .none)
    }
}
