import KeychainWire
import LinuxSystem

/// The daemon's ends of the prompt slots. Each slot has one call at a time. A thread that finds none free waits for
/// one, until the deadline of its own prompt at most.
final class PromptSlots: Sendable {
    private let slots: [EnclaveSlot]
    private let isFree = Monitor([Bool](repeating: true, count: EnclaveChannelFormat.promptSlots))

    init(in memory: SharedMemory) {
        slots = isFree.update { $0.indices }.map { EnclaveSlot(EnclaveChannelFormat.slots + $0, in: memory) }
    }

    subscript(number: Int) -> EnclaveSlot { slots[number] }

    /// The number of a slot that is the caller's until it gives it back; nil when the deadline passed first.
    func take(by deadline: Deadline) -> Int? {
        isFree.wait(deadline: deadline) { isFree in
            guard let number = isFree.firstIndex(of: true) else { return nil }
            isFree[number] = false
            return number
        }
    }

    func giveBack(_ number: Int) { isFree.update { $0[number] = true } }

    func close() { for slot in slots { slot.close() } }
}
