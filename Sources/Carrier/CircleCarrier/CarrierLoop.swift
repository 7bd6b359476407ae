import KeychainModel
package import KeychainWire
import LinuxSystem
package import SyncTransports

/// Goes round as often as something happens on either side, until the keychain is in another circle or in none.
///
/// One thread waits for the daemon and one for the transport; the calling one goes round. A thread that waits when the
/// loop has ended ends with its process.
package final class CarrierLoop: Sendable {
    private let daemon: any CircleDaemon
    private let transport: any SyncTransport
    private let positions: SyncPositions
    private let log: @Sendable (String) -> Void
    private let state: Monitor<State>

    private struct State {
        var schedule: CarrierSchedule
        /// How many rounds there were.
        var rounds = 0
        /// The daemon does not answer.
        var failure: Refusal?
        var isPaused = false
        var hasEnded = false

        /// When the next round is due.
        var turn: UInt64 { failure != nil ? 0 : isPaused ? .max : schedule.next }
    }

    /// Daemon and transport are asked again after so many milliseconds without news.
    private static let longestWait = WireLimits.longestWatch

    /// - Parameters:
    ///   - positions: of the circle that is at the transport.
    ///   - schedule: of milliseconds of the monotonic clock.
    ///   - log: takes lines for the journal: problems, never names or bytes.
    package init(
        _ daemon: any CircleDaemon, _ transport: any SyncTransport, _ positions: SyncPositions,
        schedule: CarrierSchedule = CarrierSchedule(now: now), log: @escaping @Sendable (String) -> Void
    ) {
        (self.daemon, self.transport, self.positions, self.log) = (daemon, transport, positions, log)
        state = Monitor(State(schedule: schedule))
    }

    package static var now: UInt64 { Clock.monotonicNanoseconds / 1_000_000 }

    /// Goes round until the circle or its place is another.
    ///
    /// - Throws: the daemon's refusal, or `errSecNotAvailable` when it is gone; `SystemError` of a thread.
    package func run() throws {
        defer { state.update { $0.hasEnded = true } }
        let watchers = [
            try Thread(named: "daemon") { [self] in watchDaemon() },
            try Thread(named: "transport") { [self] in watchTransport() },
        ]
        defer { withExtendedLifetime(watchers) {} }
        while true {
            try waitForTurn()
            guard let now = try daemon.positions(), now.circle == positions.circle, now.place == positions.place
            else { return }
            try goRound(now)
        }
    }

    /// Waits until a round is due.
    private func waitForTurn() throws(Refusal) {
        var turn = state.update { $0.turn }
        while turn > Self.now {
            let seen = turn
            let limit = Deadline.after(milliseconds: Int(clamping: turn - Self.now))
            turn = state.wait(deadline: limit) { $0.turn == seen ? nil : $0.turn } ?? seen
        }
        if let failure = state.update({ $0.failure }) { throw failure }
    }

    private func goRound(_ positions: SyncPositions) throws(Refusal) {
        state.update {
            $0.isPaused = positions.isPaused
            $0.schedule.begin()
        }
        let outcome = positions.isPaused ? .success(.init()) : try outcome(of: positions)
        let (end, chance) = (CarrierSchedule.End(outcome), Self.chance())
        state.update {
            $0.schedule.end(at: Self.now, end, chance: chance)
            if (try? outcome.get())?.hasMore == true { $0.schedule.goOn(at: Self.now) }
            $0.rounds += 1
        }
    }

    private func outcome(
        of positions: SyncPositions
    ) throws(Refusal) -> Result<CarrierRound.Outcome, TransportProblem> {
        do throws(CarrierRound.Failure) {
            return .success(try CarrierRound(daemon, transport).run(positions))
        } catch {
            switch error {
            case .daemon(let refusal): throw refusal
            case .transport(let problem):
                log(problem.description.plain)
                return .failure(problem)
            }
        }
    }

    private static func chance() -> UInt64 { Randomness.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}

extension CarrierSchedule.End {
    fileprivate init(_ outcome: Result<CarrierRound.Outcome, TransportProblem>) {
        switch outcome {
        case .success: self = .success
        case .failure(.missing), .failure(.system): self = .placeIsAway
        case .failure(.refused), .failure(.noEntrance), .failure(.unreachable): self = .serverFails
        }
    }
}

// MARK: - Watching

extension CarrierLoop {
    private func watchDaemon() {
        var number = positions.number
        while !state.update({ $0.hasEnded }) {
            do throws(Refusal) {
                let next = try daemon.wait(after: number, milliseconds: Self.longestWait)
                if next != number { note(try daemon.positions()) }
                number = next
            } catch {
                return state.update { $0.failure = error }
            }
        }
    }

    /// A keychain that has left its circle, or is in another one, is a reason for a round too: that ends the loop.
    private func note(_ found: SyncPositions?) {
        let isOther = found?.circle != positions.circle || found?.place != positions.place
        state.update {
            $0.isPaused = found?.isPaused ?? false
            $0.schedule.noteChange(at: Self.now)
            if isOther || found?.isWanted == true { $0.schedule.noteWish(at: Self.now) }
        }
    }

    private func watchTransport() {
        while !state.update({ $0.hasEnded }) {
            let rounds = state.update { $0.rounds }
            do throws(TransportProblem) {
                guard try transport.wait(until: .after(milliseconds: Int(Self.longestWait))) else { continue }
                state.update { $0.schedule.noteArrival() }
            } catch { state.update { $0.schedule.noteLoss(at: Self.now) } }
            // The next round reads it. After a problem, that round says when to ask again.
            _ = state.wait { $0.rounds != rounds || $0.hasEnded ? true : nil }
        }
    }
}
