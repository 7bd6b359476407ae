import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// Binds the vault to a count in its root, where the root has one. The count detects that vault and store were put back
/// together.
///
/// The vault's `tick` is written first and the root follows, so that a crash between them leaves the vault one ahead,
/// which the next start makes up for. Changes of what opens the vault move it each time, all others once in an hour,
/// because a chip's memory wears off. A counter begins with a number that the root alone knows: the vault says
/// ``beginning`` before it is made.
final class RootTick: Sendable {
    /// The `tick` of a vault whose counter is being made, or could not be.
    static let beginning = UInt64.max
    /// Seconds from one move to the next, for changes that do not matter much.
    static let pause: UInt64 = 60 * 60

    /// When it moved last, in this process.
    private let moved = Lock<DeviceClock.Moment?>(nil)

    /// A counter that is to follow the vault.
    struct Move {
        let counter: any RootCounter
        let next: UInt64
    }

    /// The move that goes with a change; nil when none is due, or the root does not answer: the next change moves it
    /// then.
    func counter(
        for vault: Vault, after change: VaultChange, at clock: DeviceClock, _ roots: DeviceRoots
    ) -> Move? {
        let tick = vault.age.tick
        guard tick != 0, tick != Self.beginning, change == .content || isDue(at: clock.now()),
            let counter = try? vault.counter(roots), case .value(let count) = try? counter.read()
        else { return nil }
        // A vault that is one ahead already stays so. Any other difference is for the next start to report.
        return tick == count || tick == count &+ 1 ? Move(counter: counter, next: count &+ 1) : nil
    }

    /// Has the root follow a vault that is on disk. When it does not, the vault is one ahead, and the next move makes
    /// up for it.
    func follow(_ move: Move, at clock: DeviceClock) {
        guard (try? move.counter.advance()) != nil else { return }
        moved.withLock { $0 = clock.now() }
    }

    private func isDue(at now: DeviceClock.Moment) -> Bool {
        moved.withLock { moved in
            guard let moved, moved.boot == now.boot, now.seconds >= moved.seconds else { return true }
            return now.seconds - moved.seconds >= Self.pause
        }
    }
}

extension Vault {
    /// The count that this vault's root keeps for it; nil where roots do not count.
    ///
    /// - Throws: why the root cannot be had.
    func counter(_ roots: DeviceRoots) throws(Refusal) -> (any RootCounter)? {
        let root = try roots.root(device.kind)
        do throws(CryptoError) { return root.counter(of: identifier, key: try deriveKey(.counter)) } catch {
            throw .crypto(error)
        }
    }

    /// Takes over the root's count, for a vault that the user accepts although it is older.
    mutating func acceptCount(_ roots: DeviceRoots) throws(Refusal) {
        guard let counter = try counter(roots) else { return }
        if case .value(let count) = try counter.read() {
            age.tick = count
        } else {
            age.tick = (try? counter.make()) ?? RootTick.beginning
        }
    }
}
