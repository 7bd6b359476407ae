import EnclaveWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import SecureEnclave

/// A device in a folder of its own, with a clock that only the test turns and passcodes that cost nothing to check.
final class TestDevice: Sendable {
    let folder: TemporaryDirectory
    let clock = TestClock()
    var vault: String { folder.file("vault") }

    init() {
        guard let folder = try? TemporaryDirectory() else { preconditionFailure("there is no room in /tmp") }
        self.folder = folder
    }

    /// Starts the enclave as a restart of the process does.
    func start(
        createIfMissing: Bool = true, user: (any UserAgent)? = nil, acceptsLoginPassword: Bool = false,
        policy: AdministratorPolicy = .none
    ) throws(Refusal) -> SoftwareEnclave {
        let clock = clock
        return try SoftwareEnclave(
            vault: vault, createIfMissing: createIfMissing, passcodeCost: .cheapest,
            clock: DeviceClock { clock.moment.withLock { $0 } }, userAgent: user,
            acceptsLoginPassword: acceptsLoginPassword, policy: policy)
    }

    /// Starts it with a passcode set, which is the state before the first unlock.
    func start(passcode: String) throws -> SoftwareEnclave {
        try start().setPasscode(TestDevice.passcode(passcode))
        return try start()
    }

    /// The content of the vault.
    func content() throws -> [UInt8] { try AtomicFile.read(vault, limit: 1 << 20) }

    func replaceContent(with bytes: [UInt8]) throws { try AtomicFile.replace(vault, with: bytes.span) }

    static func passcode(_ text: String) throws -> FileDescriptor { try passcode(Array(text.utf8)) }

    static func passcode(_ bytes: [UInt8]) throws -> FileDescriptor {
        try PasscodeFile.make(SecretBytes(copying: bytes.span))
    }
}

final class TestClock: Sendable {
    let moment = Lock(DeviceClock.Moment(boot: "first boot", seconds: 1000))

    func advance(by seconds: UInt64) { moment.withLock { $0.seconds += seconds } }

    func reboot() { moment.withLock { $0 = DeviceClock.Moment(boot: "\($0.boot)'", seconds: 0) } }
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

    var record: [UInt8] { [accessibility.rawValue, 0, 0, 0] + identity + wrapped }
}

/// The answers of a batch.
struct Answers {
    let outcomes: [RowKeyRecord.Outcome?]
    let keys: [SecretBytes]
}

extension EnclaveService {
    func unwrap(_ records: [[UInt8]]) throws(Refusal) -> Answers {
        let buffer = SecretBuffer()
        try unwrapRowKeys(Array(records.joined()).span, into: buffer)
        let starts = Array(stride(from: 0, to: buffer.count, by: RowKeyRecord.answerSize))
        return buffer.withSpan { span in
            Answers(
                outcomes: starts.map { RowKeyRecord.Outcome(rawValue: span[$0]) },
                keys: starts.map {
                    SecretBytes(copying: span.extracting($0 + 1..<$0 + RowKeyRecord.answerSize))
                })
        }
    }

    func outcome(of row: TestRow) throws(Refusal) -> RowKeyRecord.Outcome? {
        try unwrap([row.record]).outcomes.first ?? nil
    }
}

/// Keys without a context.
extension EnclaveKeyService {
    func makeKey(_ binding: KeyBinding) throws(Refusal) -> SealedKey { try makeKey(binding, in: nil) }

    func importKey(_ key: SecretBytes, type: UInt8, _ binding: KeyBinding) throws(Refusal) -> SealedKey {
        try importKey(key, type: type, binding, in: nil)
    }

    func useKey(_ key: SealedKey, _ use: KeyUse) throws(Refusal) -> SecretBytes {
        try useKey(key, use, in: nil)
    }

    func rebindKey(_ key: SealedKey, to binding: KeyBinding) throws(Refusal) -> SealedKey {
        try rebindKey(key, to: binding, in: nil)
    }
}

/// The refusal that `body` throws.
func refusal(_ body: () throws -> Void) -> Refusal? {
    do {
        try body()
        return nil
    } catch { return error as? Refusal }
}
