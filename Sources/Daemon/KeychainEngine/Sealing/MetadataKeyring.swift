import KeychainModel
import LinuxSystem
import Synchronization

/// The metadata keys of the classes that are open, shared by all lanes of an engine.
///
/// The epoch moves when keys are dropped; a lane that sees another epoch than its own drops the contexts it made of them.
final class MetadataKeyring: Sendable {
    private let keys = Lock<[Accessibility: SecretBytes]>([:])
    private let currentEpoch = Atomic<UInt64>(0)

    var epoch: UInt64 { currentEpoch.load(ordering: .acquiring) }

    subscript(accessibility: Accessibility) -> SecretBytes? {
        get { keys.withLock { $0[accessibility] } }
        set { keys.withLock { $0[accessibility] = newValue } }
    }

    /// Drops the keys of classes that are closed while the device is locked.
    func dropClosed() { drop { $0.availability == .whileUnlocked } }

    /// Drops the key of one class, which has been destroyed.
    func drop(_ accessibility: Accessibility) { drop { $0 == accessibility } }

    private func drop(where closes: (Accessibility) -> Bool) {
        keys.withLock { keys in keys = keys.filter { !closes($0.key) } }
        currentEpoch.add(1, ordering: .acquiringAndReleasing)
    }
}
