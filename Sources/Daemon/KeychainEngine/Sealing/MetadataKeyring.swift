import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization

/// The metadata keys of the classes that are open, shared by all item readers of an engine.
///
/// They go whenever the enclave's state changes, also when it locked by itself, and the next request asks for them
/// again: the epoch says so, at the price of one load. A reader that sees another epoch than its own drops the contexts
/// it made of them.
final class MetadataKeyring: Sendable {
    private struct Content {
        var keys: [Accessibility: SecretBytes] = [:]
        var epoch: UInt32
    }

    private let state: StateEpoch
    private let content: Lock<Content>

    init(_ state: StateEpoch) {
        self.state = state
        content = Lock(Content(epoch: state.value))
    }

    /// The number that the enclave's state has now.
    var epoch: UInt32 {
        @inline(__always) get { state.value }
    }

    subscript(accessibility: Accessibility) -> SecretBytes? {
        content.withLock { content in
            refresh(&content)
            return content.keys[accessibility]
        }
    }

    /// Keeps a key that the enclave gave while its state had this number, unless that has changed meanwhile.
    func keep(_ key: SecretBytes, for accessibility: Accessibility, from epoch: UInt32) {
        content.withLock { content in
            refresh(&content)
            if content.epoch == epoch { content.keys[accessibility] = key }
        }
    }

    private func refresh(_ content: inout Content) {
        let now = state.value
        if content.epoch != now { content = Content(epoch: now) }
    }
}
