import KeychainPolicy
import LinuxSystem

/// A process that was identified, as it is watched from then on.
final class IdentifiedProcess: CallerProcess {
    /// Nil for this process, which ends with whoever asks.
    private let peer: PeerCredentials?
    /// What an anchored process executed when it was identified: it says more than that the process lives.
    private let image: ProcessImage?

    init(_ peer: PeerCredentials?, _ image: ProcessImage? = nil) { (self.peer, self.image) = (peer, image) }

    var isUnchanged: Bool { image?.isExecuted ?? peer?.isAlive ?? true }
}
