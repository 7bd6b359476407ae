import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// A device with a TPM and a folder of its own, and passcodes that cost nothing to check.
final class TPMDevice {
    let chip: SoftwareTPM
    let folder: TemporaryDirectory
    let clock = TestClock()
    var vault: String { folder.file("vault") }

    init() throws {
        chip = try SoftwareTPM()
        folder = try TemporaryDirectory()
    }

    /// Starts the enclave over a new connection, as a restart of the process does.
    ///
    /// - Parameter preferred: what a vault that is not there yet rests on.
    func start(
        preferring preferred: DeviceRootKind = .tpm, on chip: SoftwareTPM? = nil
    ) throws(Refusal) -> SoftwareEnclave {
        let clock = clock
        return try SoftwareEnclave(
            vault: vault, createIfMissing: true, passcodeCost: .cheapest,
            clock: DeviceClock { clock.moment.withLock { $0 } },
            roots: DeviceRoots(tpm: .success(TPMDeviceRoot(TPM((chip ?? self.chip).address)))),
            preferring: preferred)
    }

    /// Starts it where there is no TPM.
    func startWithoutTPM() throws(Refusal) -> SoftwareEnclave {
        try SoftwareEnclave(vault: vault, createIfMissing: false, passcodeCost: .cheapest)
    }

    func content() throws -> [UInt8] { try AtomicFile.read(vault, limit: 1 << 20) }

    static func passcode(_ text: String) throws -> FileDescriptor {
        try PasscodeFile.make(SecretBytes(copying: Array(text.utf8).span))
    }
}

final class TestClock: Sendable {
    let moment = Lock(DeviceClock.Moment(boot: "first boot", seconds: 1000))

    func advance(by seconds: UInt64) { moment.withLock { $0.seconds += seconds } }
}

/// A row with its secret key, as the store knows it.
struct TestRow {
    let identity = Randomness.bytes(RowKeyRecord.rowBytes)
    let key = SecretBytes.randomKey()
    let accessibility: Accessibility
    var wrapped: [UInt8] = []

    init(_ accessibility: Accessibility, in enclave: any EnclaveService) throws(Refusal) {
        self.accessibility = accessibility
        wrapped = try enclave.wrapRowKey(key, row: identity.span, for: accessibility)
    }

    func outcome(in enclave: any EnclaveService) throws(Refusal) -> RowKeyRecord.Outcome? {
        let answer = SecretBuffer()
        try enclave.unwrapRowKeys(([accessibility.rawValue, 0, 0, 0] + identity + wrapped).span, into: answer)
        return answer.withSpan { answer in
            guard let outcome = RowKeyRecord.Outcome(rawValue: answer[0]) else { return nil }
            let isKey = key.withSpan { answer.extracting(1...).isEqual(to: $0) }
            return outcome == .opened && !isKey ? .damaged : outcome
        }
    }
}

/// Keys without a context.
extension EnclaveKeyService {
    func makeKey(_ binding: KeyBinding) throws(Refusal) -> SealedKey { try makeKey(binding, in: nil) }

    func useKey(_ key: SealedKey, _ use: KeyUse) throws(Refusal) -> SecretBytes {
        try useKey(key, use, in: nil)
    }
}

extension TPM {
    /// How many objects and sessions are loaded, with the storage key and the session of this connection.
    func loadedHandles() throws(Refusal) -> Int {
        try run { (connection) throws(TPMFailure) in
            var count = 0
            for kind in HandleKind.all { count += try connection.handles(kind).count }
            return count
        }
    }
}

/// The refusal that `body` throws.
func refusal(_ body: () throws -> Void) -> Refusal? {
    do {
        try body()
        return nil
    } catch { return error as? Refusal }
}
