internal import KeychainModel
internal import LinuxSystem
internal import SecureEnclave
internal import Synchronization

/// Time that passes only when a test says so.
final class SimulatedClock: Sendable {
    private let seconds = Atomic<UInt64>(1_000_000)

    func advance(by seconds: Double) { self.seconds.add(UInt64(max(0, seconds)), ordering: .relaxed) }

    /// The clock as the enclave reads it; a simulated restart does not stop it.
    var deviceClock: DeviceClock {
        DeviceClock { [self] in .init(boot: "simulated", seconds: seconds.load(ordering: .relaxed)) }
    }
}

extension PasscodeFile {
    /// The memory file with a test's passcode.
    static func make(_ passcode: String) throws(Refusal) -> FileDescriptor {
        do throws(SystemError) { return try make(SecretBytes(copying: Array(passcode.utf8).span)) } catch {
            throw Refusal(
                .allocate, .unavailable, "passcode", "The passcode cannot be handed over: \(error).", do: "Try again.")
        }
    }
}
