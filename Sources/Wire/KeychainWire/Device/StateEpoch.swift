package import LinuxSystem

/// A number that changes with the state of the device, for code that must notice a change without a call.
///
/// The enclave counts; it does so in memory that the daemon sees too (``EnclaveChannelFormat``). To read it costs one
/// load.
package final class StateEpoch: Sendable {
    private let word: SharedWord
    private let mirror = Lock<SharedWord?>(nil)

    /// One that this process counts itself, or that another process does in memory it shares.
    package init(_ word: SharedWord = SharedWord()) { self.word = word }

    /// The number now.
    package var value: UInt32 {
        @inline(__always) get { word.load() }
    }

    /// Counts a change and wakes who waits for one.
    package func advance() {
        let value = word.add(1)
        word.wake(count: .max)
        mirror.withLock { mirror in
            mirror?.store(value)
            mirror?.wake(count: .max)
        }
    }

    /// Shows every change in another word too.
    package func mirror(in other: SharedWord) {
        mirror.withLock { $0 = other }
        other.store(word.load())
    }

    /// Waits until the number is another one.
    ///
    /// - Returns: the number; what it was when the deadline passed first.
    package func wait(while value: UInt32, deadline: Deadline) -> UInt32 {
        while true {
            let current = word.load()
            guard current == value, word.wait(while: value, deadline: deadline) else { return word.load() }
        }
    }
}
