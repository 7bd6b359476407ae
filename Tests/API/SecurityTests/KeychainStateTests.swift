import KeychainTesting
import Security
import TestSupport
import Testing

/// Reports of the device's state to programs.
@Suite("The state of the keychain")
struct KeychainStateTests {
    @Test("the current state says whether the keychain is open and what protects it")
    func current() throws {
        try withKeychain { keychain in
            #expect(try KeychainState.current == state(.unlocked, false, .softwareOnly))
            try keychain.device.setPasscode("1234")
            #expect(try KeychainState.current == state(.unlocked, true, .passcode))
            try keychain.device.lock()
            #expect(try KeychainState.current == state(.locked, true, .passcode))
            try keychain.device.restart()
            #expect(try KeychainState.current == state(.beforeFirstUnlock, true, .passcode))
        }
    }

    private func state(
        _ lock: KeychainState.Lock, _ passcodeIsSet: Bool, _ protection: KeychainState.Protection
    ) -> KeychainState { KeychainState(lock: lock, passcodeIsSet: passcodeIsSet, protection: protection) }

    @Test("the sequence begins with the state there is and goes on with every change", .rule("protection.state.watch"))
    func changes() async throws {
        let keychain = try TestKeychain()
        try keychain.device.setPasscode("1234")
        var seen: [KeychainState.Lock] = []
        let changes = keychain.run { KeychainState.changes }
        for await state in changes {
            seen.append(state.lock)
            switch seen.count {
            case 1: try keychain.device.lock()
            case 2: try keychain.device.unlock(passcode: "1234")
            default: break
            }
            if seen.count == 3 { break }
        }
        #expect(seen == [.unlocked, .locked, .unlocked])
    }

    @Test("many sequences hear of the same change, and end with their tasks")
    func many() async throws {
        let keychain = try TestKeychain()
        try keychain.device.setPasscode("1234")
        await withTaskGroup(of: KeychainState.Lock?.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let changes = keychain.run { KeychainState.changes }
                    return await changes.first { $0.lock == .locked }?.lock
                }
            }
            try? keychain.device.lock()
            for await state in group { #expect(state == .locked) }
        }
        let waiting = Task {
            let changes = keychain.run { KeychainState.changes }
            for await _ in changes {}
        }
        waiting.cancel()
        await waiting.value
    }
}
