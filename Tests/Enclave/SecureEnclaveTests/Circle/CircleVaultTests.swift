import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// The circle in a vault, whatever happens to the file.
@Suite("The circle in the vault") struct CircleVaultTests {
    private static func version(_ device: TestDevice) throws -> UInt16 {
        let content = try device.content()
        return content.span.littleEndian(UInt16.self, at: Vault.Offset.version)
    }

    @Test("A vault is of version 5 while its keychain belongs to a circle, and of version 4 before and afterwards")
    func version() throws {
        let machine = try CircleMachine()
        #expect(try Self.version(machine.served.device) == 4)
        _ = try machine.enter()
        #expect(try Self.version(machine.served.device) == 5)
        try machine.connection.changePasscode(
            from: try TestDevice.passcode(CircleMachine.passcode), to: try TestDevice.passcode("5678"))
        #expect(try Self.version(machine.served.device) == 5)
        machine.user.will(.passcode("5678"), .passcode("5678"))
        try machine.connection.leaveCircle(asking: CircleMachine.question, by: soon)
        #expect(try Self.version(machine.served.device) == 4)
        _ = try machine.served.device.start(createIfMissing: false)
        _ = try machine.connection.enterCircle(nil, name: "first", asking: CircleMachine.question, by: soon)
        try machine.connection.removePasscode(try TestDevice.passcode("5678"))
        #expect(try Self.version(machine.served.device) == 5)
    }

    @Test("A restart finds members, removals, names and keys as they were, once somebody has unlocked")
    func restart() throws {
        let circle = try TestCircle(3)
        let machine = circle.machines[0]
        let statements = try machine.remove(try circle.machines[1].id)
        guard case .generation(let made) = try #require(statements.last) else { return }
        try machine.publish(statements)
        let (state, batch) = (try machine.state, try machine.publish([], "text", under: made.id))
        let again = try machine.served.device.start(createIfMissing: false)
        let sealed = try #require(batch.sealed)
        #expect(refusal { _ = try again.openContent(sealed, header: batch.associated) }?.rule == .locked)
        try again.unlock(passcode: try TestDevice.passcode(CircleMachine.passcode))
        #expect(try again.circle() == state)
        let opened = try again.openContent(sealed, header: batch.associated)
        #expect(opened.withSpan { $0.text(0, $0.count) } == "text")
    }

    @Test("A vault with any bit of its circle changed, or cut off, is damaged and stays as it is")
    func damaged() throws {
        let device = try TestCircle(2).machines[1].served.device
        let content = try device.content()
        for place in stride(from: 664, to: content.count, by: 11) {
            var changed = content
            changed[place] ^= 1
            try device.replaceContent(with: changed)
            #expect(refusal { _ = try device.start(createIfMissing: false) }?.status == .decode, "\(place)")
            #expect(try device.content() == changed)
        }
        try device.replaceContent(with: Array(content.dropLast(64)))
        #expect(refusal { _ = try device.start(createIfMissing: false) }?.status == .decode)
        try device.replaceContent(with: content)
        _ = try device.start(createIfMissing: false)
    }

    @Test("A record is read as it was written, and neither shorter nor longer")
    func coding() throws {
        let circle = try TestCircle(3)
        let first = circle.machines[0]
        try circle.deliver(try first.publish(try first.remove(try circle.machines[2].id)))
        for machine in circle.machines {
            let bytes = try machine.served.enclave.circleRecord().encoded()
            #expect(try Self.rewritten(bytes) == bytes)
            for changed in [Array(bytes.dropLast()), bytes + [0], []] {
                #expect(refusal { _ = try Self.rewritten(changed) }?.rule == .malformedFrame)
            }
        }
    }

    /// The bytes, read and written.
    private static func rewritten(_ bytes: [UInt8]) throws -> [UInt8] {
        let record = try CircleRecord(decoding: bytes)
        return record.encoded()
    }

    @Test("An old vault takes no removal back: put back under a running enclave, or at rest where the store knows")
    func rolledBack() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        guard case .current(let mark) = try first.connection.renew(nil, beginsBlock: false) else { return }
        let old = try first.served.device.content()
        let target = try second.id
        _ = try first.remove(target)
        guard case .current(let newer) = try first.connection.renew(mark, beginsBlock: false) else { return }
        try first.served.device.replaceContent(with: old)
        #expect(Self.refused(by: first.connection, circle, target).allSatisfy { $0 == .olderVault })
        let restarted = try first.served.device.start(createIfMissing: false)
        #expect(refusal { _ = try restarted.renew(newer, beginsBlock: false) }?.rule == .olderVault)
        #expect(refusal { try restarted.unlock(passcode: try TestDevice.passcode("1234")) }?.rule == .olderVault)
        #expect(Self.refused(by: restarted, circle, target).allSatisfy { $0 == .olderVault })
    }

    /// How an enclave refuses what would use its circle.
    private static func refused(
        by enclave: any EnclaveService, _ circle: TestCircle, _ target: MemberID
    ) -> [Refusal.Rule?] {
        [
            refusal { _ = try enclave.shareGeneration(circle.current, with: [target]) }?.rule,
            refusal { _ = try enclave.circle() }?.rule,
            refusal { _ = try enclave.makeGeneration() }?.rule,
            refusal { try enclave.takeBatch(circle.batches[0].carried) }?.rule,
            refusal { _ = try enclave.recordID(itemClass: 1, primaryKey: SecretBytes(count: 1)) }?.rule,
        ]
    }

    @Test("A removal that the disk has no room for is not made; the vault stays the old one")
    func diskFull() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let circle = try TestCircle(2)
            let (first, target) = (circle.machines[0], try circle.machines[1].id)
            let (before, state) = (try first.served.device.content(), try first.state)
            try CircleVaultTests.limitFiles(to: before.count / 2)
            let change = first.removeUnasked(target)
            try CircleVaultTests.limitFiles(to: nil)
            try #require(change?.status == .notAvailable)
            try #require(try first.served.device.content() == before)
            try #require(try first.state == state)
        }
    }

    private static func limitFiles(to size: Int?) throws {
        var limit = rlimit()
        try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
        limit.rlim_cur = size.map(UInt.init) ?? limit.rlim_max
        try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
    }
}
