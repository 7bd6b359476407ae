import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports

/// The program `keychain-carrier`: from the settings to rounds.
///
/// It has no keys of the circle, and writes no byte of a batch anywhere but to the circle's place.
package struct CarrierProgram {
    package enum Errand: Sendable {
        /// Goes on until the keychain is in no circle.
        case stay
        /// Goes round once. With a circle that was just begun, it makes the place first.
        case once(founds: Bool)
        /// Carries the messages of a pairing until it ends.
        case pair
        /// Does what `security sync` wants at a place.
        case place(PlaceErrand)
    }

    private let log: @Sendable (String) -> Void
    private let answer: @Sendable (String) -> Void

    /// - Parameters:
    ///   - log: takes lines for people: what keeps batches from being carried.
    ///   - answer: takes the line that an errand at a place ends with.
    package init(
        log: @escaping @Sendable (String) -> Void, answer: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.log, self.answer) = (log, answer)
    }

    /// The exit statuses of sysexits(3).
    private enum Status {
        static let done: Int32 = 0
        /// Also where the keychain refuses, as one without room does.
        static let placeUnusable: Int32 = 1
        static let daemonUnreachable: Int32 = 69
        static let otherCarrier: Int32 = 75
    }

    /// Does the errand.
    ///
    /// - Returns: the exit status.
    /// - Throws: `SystemError` of the lock or of a thread.
    package func run(_ errand: Errand) throws -> Int32 {
        do throws(Refusal) {
            var configuration = try Configuration.load()
            configuration.mode = .daemon
            // A home without a keychain stays without.
            guard !configuration.isUnmade else { return noCircle() }
            let connection = try Connection.reach(configuration).unwrapped(configuration)
            if case .place(let wanted) = errand { return work(wanted, connection) }
            let daemon = DaemonCircle(connection)
            if case .pair = errand { return try pair(daemon) }
            guard let positions = try positions(for: errand, daemon) else { return noCircle() }
            if case .once(founds: true) = errand, let status = try foundFolder(of: positions) { return status }
            let lock: FileLock?
            do { lock = try Self.lock(configuration) } catch { return unlockable(error) }
            guard let lock else {
                log("another carrier of this keychain is at it")
                return Status.otherCarrier
            }
            defer { withExtendedLifetime(lock) {} }
            return try perform(errand, connection, positions)
        } catch {
            log("\(error.problem) \(error.remedy)")
            return error.status == .notAvailable ? Status.daemonUnreachable : Status.placeUnusable
        }
    }

    private func positions(for errand: Errand, _ daemon: DaemonCircle) throws(Refusal) -> SyncPositions? {
        switch errand {
        case .once, .pair, .place: try daemon.positions()
        case .stay: try daemon.positionsOfOpened()
        }
    }

    /// Makes the folder of a circle, also when a carrier is at it that has served another circle until now.
    ///
    /// - Returns: the exit status when that fails; nil otherwise, and at other places.
    private func foundFolder(of positions: SyncPositions) throws(Refusal) -> Int32? {
        guard case .folder? = SyncPlace(positions.place) else { return nil }
        let there = try CarrierPlace.transport(
            positions.place, circle: positions.circle, me: positions.me, secret: nil)
        do throws(TransportProblem) { try there.found() } catch { return unusable(error) }
        return nil
    }

    /// Another carrier may be at it meanwhile: the place takes each of these by itself.
    private func work(_ errand: PlaceErrand, _ connection: Connection) -> Int32 {
        let input: SecretBytes
        do throws(SystemError) {
            input = try PasscodeFile.read(
                FileDescriptor(owning: STDIN_FILENO), limit: PlaceErrand.inputBytes,
                deadline: .after(milliseconds: Self.patienceForInput))
        } catch {
            log("standard input is no pipe with what this needs: \(error)")
            return Status.placeUnusable
        }
        let done = PlaceWork(connection, harden: { harden(for: $0) }).run(errand, input)
        answer(done.line)
        return done.isDone ? Status.done : Status.placeUnusable
    }

    private static let patienceForInput = 60_000

    private func noCircle() -> Int32 {
        log("this keychain belongs to no circle of machines")
        return Status.done
    }

    private func unlockable(_ error: any Error) -> Int32 {
        log("the carrier's lock cannot be taken: \(error)")
        return Status.placeUnusable
    }
}

// MARK: - One carrier for a keychain

extension CarrierProgram {
    /// The lock of a keychain's carrier; nil when another one has it.
    private static func lock(_ configuration: Configuration) throws(SystemError) -> FileLock? {
        let path = try lockPath(configuration)
        do throws(SystemError) { return try FileLock(path, .exclusive, deadline: .now) } catch {
            guard error.code == ETIMEDOUT else { throw error }
            return nil
        }
    }

    /// In the folder of the store, or where that is the system service's, in the user's folder for such files.
    private static func lockPath(_ configuration: Configuration) throws(SystemError) -> String {
        guard configuration.usesSystemService else { return configuration.folder + "/carrier.lock" }
        let given = unsafe getenv("XDG_STATE_HOME").map { unsafe String(cString: $0) } ?? ""
        let home = unsafe getenv("HOME").map { unsafe String(cString: $0) } ?? ""
        let folder = (given.hasPrefix("/") ? given : home + "/.local/state") + "/keychain"
        try PrivateDirectory.ensure(folder)
        return folder + "/carrier.lock"
    }
}

// MARK: - Rounds

extension CarrierProgram {
    private func perform(
        _ errand: Errand, _ connection: Connection, _ positions: SyncPositions
    ) throws(Refusal) -> Int32 {
        if let place = SyncPlace(positions.place) { harden(for: place) }
        switch errand {
        case .once(let founds): return try goRound(connection, positions, founds: founds)
        case .stay, .pair, .place: return try stay(connection, positions)
        }
    }

    private func stay(_ connection: Connection, _ first: SyncPositions) throws(Refusal) -> Int32 {
        let daemon = DaemonCircle(connection)
        var next: SyncPositions? = first
        while let positions = next {
            guard SyncPlace(positions.place)?.isRemote == SyncPlace(first.place)?.isRemote else {
                log("the circle is at another kind of place now, for which this program has to be started again")
                return Status.placeUnusable
            }
            let transport = try SecretOfPlace(connection).transport(of: positions)
            do { try CarrierLoop(daemon, transport, positions, log: log).run() } catch let refusal as Refusal {
                throw refusal
            } catch {
                return unlockable(error)
            }
            next = try daemon.positions()
        }
        return Status.done
    }

    /// Bytes. The largest look takes a quarter, and libpq makes room for a row of two gigabytes, if a server says so.
    private static let memory: UInt64 = 1 << 30

    /// The daemon runs: from now on the program starts none, and reaches no other process. It reaches networks for a
    /// place that is on one, and then changes no file.
    private func harden(for place: SyncPlace) {
        do throws(SystemError) {
            try ProcessHardening.forbidNewPrivileges()
            if place.isRemote {
                try FileSystemRestriction.apply(only: [.init("/", .reading)])
                try ProcessHardening.limitMemory(to: Self.memory)
            }
            try ProcessHardening.forbidReachingOut(
                [.programs, .neighbours, place.isRemote ? .otherNetworks : .networks])
        } catch { log("the carrier is less protected than it could be: \(error)") }
    }

    /// Another carrier may be at it: that carries no such messages.
    private func pair(_ daemon: DaemonCircle) throws(Refusal) -> Int32 {
        harden(for: .folder(""))
        return try PairingErrand(daemon, place: CarrierPlace.pairings).run().map(unusable) ?? Status.done
    }

    private func goRound(
        _ connection: Connection, _ positions: SyncPositions, founds: Bool
    ) throws(Refusal) -> Int32 {
        guard !positions.isPaused else {
            log("the circle is paused")
            return Status.placeUnusable
        }
        let transport = try SecretOfPlace(connection).transport(of: positions)
        let daemon = DaemonCircle(connection)
        do throws(TransportProblem) { if founds { try transport.found() } } catch { return unusable(error) }
        do throws(CarrierRound.Failure) {
            _ = try CarrierRound(daemon, transport).run(positions)
            return Status.done
        } catch {
            switch error {
            case .daemon(let refusal): throw refusal
            case .transport(let problem): return unusable(problem)
            }
        }
    }

    private func unusable(_ problem: TransportProblem) -> Int32 {
        log(problem.description.plain)
        return Status.placeUnusable
    }
}

extension Connection? {
    fileprivate func unwrapped(_ configuration: Configuration) throws(Refusal) -> Connection {
        guard let self else {
            throw Refusal(
                .notAvailable, .unavailable, configuration.socket, "No keychain daemon is installed.",
                do: "Install keychaind, or set KEYCHAIN_DAEMON to its path.")
        }
        return self
    }
}
