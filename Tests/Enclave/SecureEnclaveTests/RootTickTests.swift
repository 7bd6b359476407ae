import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// A root that counts, and fails when it is told to.
private final class CountingRoot: DeviceRoot, RootCounter {
    private struct State {
        var count: UInt64?
        var greatest: UInt64 = 100
        var moves = 0
        var isBroken = false
    }

    private let state = Lock(State())

    var moves: Int { state.withLock { $0.moves } }
    func fail(_ fails: Bool) { state.withLock { $0.isBroken = fails } }
    func lose() { state.withLock { $0.count = nil } }

    private func working<Result>(_ body: (inout State) -> Result) throws(Refusal) -> Result {
        let result = state.withLock { $0.isBroken ? nil : body(&$0) }
        guard let result else { throw Refusal.malformed("the root") }
        return result
    }

    func read() throws(Refusal) -> RootCount { try working { $0.count.map { .value($0) } ?? .none } }

    func make() throws(Refusal) -> UInt64 {
        try working { state in
            state.greatest += 10
            state.count = state.greatest
            return state.greatest
        }
    }

    func advance() throws(Refusal) {
        try working { state in
            state.count = state.count.map { $0 + 1 }
            state.greatest += 1
            state.moves += 1
        }
    }

    func remove() throws(Refusal) { try working { $0.count = nil } }

    let kind = DeviceRootKind.tpm
    let title: String? = nil
    let keyStore: (any EnclaveKeyStore)? = nil
    func makeDevice() throws(Refusal) -> (record: SecretBytes, secret: SecretBytes) {
        let key = SecretBytes.randomKey()
        return (key, key)
    }
    func openDevice(_ record: SecretBytes) throws(Refusal) -> SecretBytes { record }
    func makeLock(for key: SecretBytes) throws(Refusal) -> (record: [UInt8], secret: SecretBytes)? { nil }
    func openLock(_ record: [UInt8], with key: SecretBytes) throws(PasscodeLockFailure) -> SecretBytes {
        throw .wrongKey
    }
    func counter(of vault: [UInt8], key: SecretBytes) -> (any RootCounter)? { self }
    func remainingLockout() throws(Refusal) -> UInt32 { 0 }
}

/// A vault and the count of its root, which follow each other.
struct RootTickTests {
    private let device = TestDevice()
    private let root = CountingRoot()

    private func start() throws(Refusal) -> SoftwareEnclave {
        let clock = device.clock
        return try SoftwareEnclave(
            vault: device.vault, createIfMissing: true, passcodeCost: .cheapest,
            clock: DeviceClock { clock.moment.withLock { $0 } }, roots: DeviceRoots(tpm: .success(root)),
            preferring: .tpm)
    }

    @Test("changes of what opens the vault move the root's count, attempts and blocks once in an hour")
    func moves() throws {
        let enclave = try start()
        #expect(root.moves == 0)
        try enclave.setPasscode(TestDevice.passcode("1"))
        #expect(root.moves == 1)
        try enclave.changePasscode(from: TestDevice.passcode("1"), to: TestDevice.passcode("2"))
        let after = root.moves
        #expect(after == 2)
        for _ in 0..<5 { try enclave.unlock(passcode: TestDevice.passcode("2")) }
        guard case .current(let mark) = try enclave.renew(nil, beginsBlock: false) else { throw Refusal.malformed("") }
        _ = try enclave.renew(mark, beginsBlock: true)
        #expect(root.moves == after)
        device.clock.advance(by: 3599)
        _ = try enclave.renew(mark, beginsBlock: true)
        #expect(root.moves == after)
        device.clock.advance(by: 1)
        _ = try enclave.renew(mark, beginsBlock: true)
        _ = try enclave.renew(mark, beginsBlock: true)
        #expect(root.moves == after + 1)
        #expect(try start().status().age == .current)
    }

    @Test(
        "a vault whose root did not follow is one ahead; the next start corrects it, and the vault before is old then"
    )
    func crashBetween() throws {
        var enclave = try start()
        let old = try device.content()
        let move = try #require(
            enclave.rootTick.counter(
                for: enclave.state.withLock { $0.vault }, after: .content, at: enclave.clock, enclave.file.roots))
        var vault = enclave.state.withLock { $0.vault }
        vault.age.tick = move.next
        vault.note(.content)
        _ = try enclave.file.replace(with: vault)
        // Here the process ends.
        enclave = try start()
        #expect(try enclave.status().age == .current)
        #expect(root.moves == 1)
        try device.replaceContent(with: old)
        #expect(try start().status().age == .olderKeychain)
    }

    @Test("while the root does not answer, changes are made all the same, and the count follows later")
    func brokenRoot() throws {
        let enclave = try start()
        root.fail(true)
        try enclave.setPasscode(TestDevice.passcode("1"))
        root.fail(false)
        #expect(try start().status().age == .current)
        try enclave.changePasscode(from: TestDevice.passcode("1"), to: TestDevice.passcode("2"))
        #expect(root.moves == 2)
        #expect(try start().status().age == .current)
    }

    @Test(
        "a vault whose count is gone, or that is from before it was counted, opens nothing until the user accepts it"
    )
    func lost() throws {
        try start().setPasscode(TestDevice.passcode("right"))
        root.lose()
        var enclave = try start()
        #expect(try enclave.status().age == .olderKeychain)
        let refused = [
            refusal { try enclave.unlock(passcode: TestDevice.passcode("right")) },
            refusal { _ = try TestRow(.always, in: enclave) },
            refusal { _ = try enclave.renew(nil, beginsBlock: false) },
        ]
        for refused in refused {
            #expect(refused?.rule == .olderKeychain)
            #expect(refused?.remedy.contains("accept-store") == true)
        }
        #expect(refusal { _ = try enclave.acceptStore(TestDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        #expect(try enclave.status().age == .olderKeychain)
        let accepted = try enclave.acceptStore(TestDevice.passcode("right"))
        #expect(try enclave.renew(accepted, beginsBlock: false) == .current(accepted))
        _ = try TestRow(.always, in: enclave)
        enclave = try start()
        #expect(try enclave.status().age == .current)
    }

    @Test(
        "a start that ends while the count is begun begins it again, and takes nothing for an old vault",
        arguments: [0, 1, 2])
    func beginning(_ step: Int) throws {
        // A vault that was never counted.
        root.fail(false)
        _ = try start()
        root.lose()
        let enclave = try SoftwareEnclave(
            vault: device.vault, createIfMissing: false, roots: DeviceRoots(tpm: .success(Uncounted(root))))
        var vault = enclave.state.withLock { $0.vault }
        vault.age.tick = step == 0 ? 0 : RootTick.beginning
        _ = try enclave.file.replace(with: vault)
        if step == 2 { _ = try root.make() }
        #expect(try start().status().age == .current)
        #expect(try start().status().age == .current)
    }
}

/// The same root, without its count.
private struct Uncounted: DeviceRoot {
    let root: CountingRoot
    init(_ root: CountingRoot) { self.root = root }

    var kind: DeviceRootKind { root.kind }
    var title: String? { nil }
    var keyStore: (any EnclaveKeyStore)? { nil }
    func makeDevice() throws(Refusal) -> (record: SecretBytes, secret: SecretBytes) { try root.makeDevice() }
    func openDevice(_ record: SecretBytes) throws(Refusal) -> SecretBytes { try root.openDevice(record) }
    func makeLock(for key: SecretBytes) throws(Refusal) -> (record: [UInt8], secret: SecretBytes)? { nil }
    func openLock(_ record: [UInt8], with key: SecretBytes) throws(PasscodeLockFailure) -> SecretBytes {
        throw .wrongKey
    }
    func counter(of vault: [UInt8], key: SecretBytes) -> (any RootCounter)? { nil }
    func remainingLockout() throws(Refusal) -> UInt32 { 0 }
}
