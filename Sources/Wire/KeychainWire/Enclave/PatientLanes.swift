import LinuxSystem

/// The daemon's ends of the lanes that wait for persons; each has one call at a time, and whoever finds none free waits for one
/// no longer than for its user.
final class PatientLanes: Sendable {
    private let lanes: [EnclaveLane]
    private let isFree = Monitor([Bool](repeating: true, count: EnclaveChannelFormat.patientLanes))

    init(in memory: SharedMemory) {
        lanes = isFree.update { $0.indices }.map { EnclaveLane(EnclaveChannelFormat.lanes + $0, in: memory) }
    }

    subscript(number: Int) -> EnclaveLane { lanes[number] }

    /// The number of a lane that is the caller's until it gives it back; nil when the deadline passed first.
    func take(by deadline: Deadline) -> Int? {
        isFree.wait(deadline: deadline) { isFree in
            guard let number = isFree.firstIndex(of: true) else { return nil }
            isFree[number] = false
            return number
        }
    }

    func giveBack(_ number: Int) { isFree.update { $0[number] = true } }

    func close() { for lane in lanes { lane.close() } }
}
