import Foundation
import Keychain
import KeychainTesting
import TestSupport
import Testing

/// The sequence of changes to items.
@Suite("Changes of items", .patient)
struct ItemChangesTests {
    @Test("Additions, changes and removals are told, whoever made them; other items' are not")
    func changes() async throws {
        try await TestKeychain().run {
            let query = KeychainQuery<GenericPassword>().where(\.service, equals: "watched")
            try GenericPassword(service: "watched", account: "old").add()
            var changes = query.changes(checkedEvery: .milliseconds(20)).makeAsyncIterator()
            try GenericPassword(service: "other", account: "a").add()
            try GenericPassword(service: "watched", account: "new").add()
            guard case .added(let added)? = await changes.next() else { return #expect(Bool(false)) }
            #expect(added.account == "new" && added.value == nil)
            try query.where(\.account, equals: "old").update { $0.label = "label" }
            guard case .changed(let changed)? = await changes.next() else { return #expect(Bool(false)) }
            #expect(changed.account == "old" && changed.label == "label")
            try query.where(\.account, equals: "new").delete()
            guard case .removed(let removed)? = await changes.next() else { return #expect(Bool(false)) }
            #expect(removed.account == "new")
        }
    }

    @Test("A keychain that is locked has lost nothing")
    func locked() async throws {
        let keychain = try TestKeychain()
        try await keychain.run {
            try keychain.device.setPasscode("1234")
            let query = KeychainQuery<GenericPassword>()
            try GenericPassword(service: "s", account: "a").add()
            var changes = query.changes(checkedEvery: .milliseconds(20)).makeAsyncIterator()
            try keychain.device.lock()
            // Ten rounds of looking find it locked.
            letPass(microseconds: 200_000)
            try keychain.device.unlock(passcode: "1234")
            try GenericPassword(service: "s", account: "b").add()
            guard case .added(let added)? = await changes.next() else { return #expect(Bool(false)) }
            #expect(added.account == "b")
        }
    }

    @Test("The sequence ends with the task that reads it")
    func ends() async throws {
        try await TestKeychain().run {
            let reader = Task {
                for await _ in KeychainQuery<GenericPassword>().changes(checkedEvery: .milliseconds(20)) {}
                return true
            }
            reader.cancel()
            #expect(await reader.value)
        }
    }
}
