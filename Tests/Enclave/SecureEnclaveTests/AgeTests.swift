import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Vaults that are put back, under an enclave that runs and at rest.
struct AgeTests {
    let device = TestDevice()

    /// The mark that a store is to have now.
    private func mark(_ old: StoreMark?, _ enclave: SoftwareEnclave, beginsBlock: Bool = false) throws -> StoreMark? {
        guard case .current(let mark) = try enclave.renew(old, beginsBlock: beginsBlock) else { return nil }
        return mark
    }

    @Test(
        "an old vault put back under a running enclave is not believed: attempts count on, the old passcode is refused"
    )
    func oldVaultWhileRunning() throws {
        let enclave = try device.start(passcode: "old")
        let old = try device.content()
        try enclave.changePasscode(from: TestDevice.passcode("old"), to: TestDevice.passcode("new"))
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        try enclave.lock()
        let newest = try device.content()
        try device.replaceContent(with: old)
        for refused in [
            refusal { try enclave.unlock(passcode: TestDevice.passcode("old")) },
            refusal { try enclave.setPasscode(TestDevice.passcode("mine")) },
            refusal { try enclave.removePasscode(TestDevice.passcode("old")) },
            refusal { _ = try TestRow(.always, in: enclave) },
            refusal { _ = try enclave.acceptStore(TestDevice.passcode("old")) },
        ] {
            #expect(refused?.rule == .olderVault)
            #expect(refused?.status == .notAvailable)
        }
        #expect(try enclave.status().age == .olderVault)
        #expect(try enclave.status().failedAttempts == 1)
        #expect(try device.content() == old)
        try device.replaceContent(with: newest)
        #expect(try enclave.status().age == .current)
        try enclave.unlock(passcode: TestDevice.passcode("new"))
    }

    @Test("an attempt that was counted stays counted when the vault from before it is put back under a running enclave")
    func attemptsWhileRunning() throws {
        let enclave = try device.start(passcode: "right")
        let old = try device.content()
        for _ in 0..<3 { _ = refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) } }
        try device.replaceContent(with: old)
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("wrong")) }?.rule == .olderVault)
        #expect(try enclave.status().failedAttempts == 3)
    }

    @Test("an enclave that nobody asks notices an old vault by itself, and says so in its epoch")
    func watched() throws {
        let enclave = try device.start(passcode: "right")
        let old = try device.content()
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        try enclave.startWatching()
        let epoch = enclave.epoch.value
        try device.replaceContent(with: old)
        enclave.watch.look()
        #expect(enclave.epoch.wait(while: epoch, deadline: soon) != epoch)
        #expect(enclave.state.withLock { $0.distrust } == .olderThanKnown)
    }

    @Test(
        "an old vault at rest opens nothing once its store has shown the mark of a newer one",
        arguments: [nil, "old"])
    func oldVaultAtRest(_ passcode: String?) throws {
        var enclave = try passcode.map { try device.start(passcode: $0) } ?? device.start()
        let row = try TestRow(.always, in: enclave)
        let first = try mark(nil, enclave)
        let old = try device.content()
        if let passcode {
            try enclave.changePasscode(from: TestDevice.passcode(passcode), to: TestDevice.passcode("new"))
        } else {
            try enclave.setPasscode(TestDevice.passcode("new"))
        }
        let stored = try mark(first, enclave)
        let newest = try device.content()
        try device.replaceContent(with: old)
        enclave = try device.start()
        let refused = refusal { _ = try enclave.renew(stored, beginsBlock: false) }
        #expect(refused?.rule == .olderVault)
        #expect(refused?.remedy.contains("newest vault") == true)
        #expect(try enclave.status().age == .olderVault)
        for refused in [
            refusal { _ = try enclave.outcome(of: row) },
            refusal { try enclave.unlock(passcode: TestDevice.passcode("old")) },
            refusal { _ = try TestRow(.always, in: enclave) },
            refusal { _ = try enclave.acceptStore(TestDevice.passcode(passcode ?? "-")) },
        ] { #expect(refused?.rule == .olderVault) }
        enclave.sessionChanged(.unlocked)
        #expect(refusal { _ = try enclave.outcome(of: row) }?.rule == .olderVault)
        #expect(try device.content() == old)
        try device.replaceContent(with: newest)
        #expect(try mark(stored, enclave) != nil)
        #expect(try enclave.outcome(of: row) == .opened)
        try enclave.unlock(passcode: TestDevice.passcode("new"))
    }

    @Test(
        "a store that was marked before the last confirmed block is an older one; so is one with no or a foreign mark"
    )
    func olderStore() throws {
        let enclave = try device.start()
        let first = try #require(try mark(nil, enclave))
        let second = try #require(try mark(first, enclave, beginsBlock: true))
        // The second is not known to be in the store yet.
        #expect(try mark(first, enclave) == second)
        _ = try mark(second, enclave, beginsBlock: true)
        #expect(try enclave.renew(first, beginsBlock: false) == .older)
        #expect(try enclave.renew(first, beginsBlock: true) == .older)
        #expect(try enclave.renew(nil, beginsBlock: true) == .older)
        let made = StoreMark(changes: second.changes, block: second.block + 1, code: second.code)
        #expect(try enclave.renew(made, beginsBlock: false) == .older)
        let other = TestDevice()
        #expect(try enclave.renew(try mark(nil, other.start()), beginsBlock: false) == .older)
        #expect(try mark(second, enclave) != nil)
        #expect(try enclave.status().age == .current)
    }

    @Test("a folder that was restored whole opens: vault and store of one copy agree")
    func restoredTogether() throws {
        var enclave = try device.start(passcode: "old")
        let stored = try mark(nil, enclave)
        let old = try device.content()
        var later = stored
        for _ in 0..<3 { later = try mark(later, enclave, beginsBlock: true) }
        try enclave.changePasscode(from: TestDevice.passcode("old"), to: TestDevice.passcode("new"))
        try device.replaceContent(with: old)
        enclave = try device.start()
        #expect(try mark(stored, enclave) != nil)
        try enclave.unlock(passcode: TestDevice.passcode("old"))
    }

    @Test(
        "a copy whose vault was taken some writes before its store opens: no slot in it is older"
    )
    func copiedWhileInUse() throws {
        var enclave = try device.start(passcode: "right")
        let first = try mark(nil, enclave)
        let vault = try device.content()
        var stored = first
        for _ in 0..<3 { stored = try mark(stored, enclave, beginsBlock: true) }
        try device.replaceContent(with: vault)
        enclave = try device.start()
        let next = try #require(try mark(stored, enclave, beginsBlock: true))
        #expect(next.block > (stored?.block ?? 0))
    }

    @Test("accepting a store takes the passcode, counts wrong ones, and makes every store from before an older one")
    func accepted() throws {
        let enclave = try device.start(passcode: "right")
        let first = try #require(try mark(nil, enclave))
        let newest = try #require(try mark(mark(first, enclave, beginsBlock: true), enclave, beginsBlock: true))
        #expect(try enclave.renew(nil, beginsBlock: false) == .older)
        #expect(refusal { _ = try enclave.acceptStore(TestDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        #expect(try enclave.status().failedAttempts == 1)
        #expect(try enclave.renew(nil, beginsBlock: false) == .older)
        let accepted = try enclave.acceptStore(TestDevice.passcode("right"))
        #expect(try mark(accepted, enclave) == accepted)
        #expect(try enclave.renew(newest, beginsBlock: false) == .older)
        #expect(try enclave.renew(first, beginsBlock: false) == .older)
    }

    @Test(
        "a vault of an earlier version takes the marks of its store, and is an old one when it comes back",
        arguments: OldVaultTests.fixtures)
    func earlierVersions(_ fixture: OldVaultTests.Fixture) throws {
        let old = try VaultFixtures.bytes("\(fixture.name).vault")
        try device.replaceContent(with: old)
        var enclave = try device.start(createIfMissing: false)
        let first = try #require(try mark(nil, enclave))
        #expect(try mark(first, enclave, beginsBlock: true) != nil)
        if let passcode = fixture.passcode {
            try enclave.unlock(passcode: TestDevice.passcode(passcode))
        } else {
            try enclave.setPasscode(TestDevice.passcode("new"))
        }
        let stored = try #require(try mark(first, enclave))
        #expect(stored.changes > first.changes)
        try device.replaceContent(with: old)
        #expect(refusal { _ = try TestRow(.always, in: enclave) }?.rule == .olderVault)
        enclave = try device.start(createIfMissing: false)
        #expect(refusal { _ = try enclave.renew(stored, beginsBlock: false) }?.rule == .olderVault)
    }

    @Test("a block that cannot be begun because the disk is full leaves vault and mark as they are")
    func diskFull() async {
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            let device = TestDevice()
            let enclave = try device.start()
            guard case .current(let mark) = try enclave.renew(nil, beginsBlock: false) else {
                throw Refusal.malformed("")
            }
            let before = try device.content()
            var limit = rlimit(rlim_cur: 100, rlim_max: .max)
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            try #require(refusal { _ = try enclave.renew(mark, beginsBlock: true) }?.status == .notAvailable)
            limit.rlim_cur = .max
            try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            try #require(try device.content() == before)
            try #require(try enclave.renew(mark, beginsBlock: false) == .current(mark))
        }
    }
}

/// The invariant of ``VaultAge``, under any order of changes, blocks, crashes and restarts of two processes.
struct AgeSimulationTests {
    /// A store that two processes share: what is in it is durable.
    private struct Process {
        var enclave: SoftwareEnclave
        /// A mark on its way into the store, with the one that it is to replace.
        var pending: (new: StoreMark, old: StoreMark?)?
    }

    @Test(
        "whatever crashes come between vault and store, the store is current and the vault believed",
        arguments: 0..<8 as Range<UInt64>)
    func crashes(_ seed: UInt64) throws {
        let device = TestDevice()
        var random = SplitMix64(seed: seed)
        var processes = [Process(enclave: try device.start()), Process(enclave: try device.start())]
        var stored: StoreMark?
        var passcode: String?
        for step in 0..<300 {
            let index = Int(random.next() % 2)
            switch random.next() % 8 {
            case 0, 1, 2:
                let age = try processes[index].enclave.renew(stored, beginsBlock: random.next() % 2 == 0)
                guard case .current(let new) = age else {
                    Issue.record("step \(step): the store is taken for an older one")
                    return
                }
                processes[index].pending = (new, stored)
            case 3, 4:
                if let pending = processes[index].pending, pending.old == stored { stored = pending.new }
                processes[index].pending = nil
            case 5:
                processes[index] = Process(enclave: try device.start())
            case 6:
                _ = refusal { try processes[index].enclave.unlock(passcode: TestDevice.passcode(passcode ?? "none")) }
            default:
                if let old = passcode {
                    try processes[index].enclave.removePasscode(TestDevice.passcode(old))
                    passcode = nil
                } else {
                    passcode = "passcode \(step)"
                    try processes[index].enclave.setPasscode(TestDevice.passcode(passcode ?? ""))
                }
            }
            #expect(try processes[index].enclave.status().age == .current, "step \(step)")
        }
    }
}
