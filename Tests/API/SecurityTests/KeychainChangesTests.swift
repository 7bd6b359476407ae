import Foundation
import KeychainTesting
import LinuxSystem
import Security
import TestSupport
import Testing

/// Notices of changed items to programs.
@Suite("Notices of changed items")
struct KeychainChangesTests {
    private let keychain: TestKeychain
    private let writer, reader, stranger: TestProgram

    init() throws {
        keychain = try TestKeychain(accessGroups: ["shared"])
        writer = keychain.program(named: "the writer", accessGroups: ["shared", "own"])
        reader = keychain.program(named: "the reader", accessGroups: ["shared", "other"])
        stranger = keychain.program(named: "the stranger", accessGroups: ["foreign"])
    }

    private static func query(_ account: String, _ group: String) -> [CFString: Any] {
        [kSecClass: kSecClassGenericPassword, kSecAttrAccount: account, kSecAttrAccessGroup: group]
    }

    private static func add(_ account: String, to group: String) {
        let item = query(account, group).merging([kSecValueData: Data("value".utf8)]) { $1 }
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    @Test(
        "A program of the group hears that another has added, changed and deleted an item",
        .rule("access-groups.changes.notice"))
    func twoPrograms() async throws {
        let changes = try reader.run { try KeychainChanges(in: ["shared"]) }
        var loop = changes.makeAsyncIterator()
        var seen = changes.beginning
        #expect(seen.map(\.group) == ["shared"])
        let query = Self.query("a", "shared") as CFDictionary
        let steps: [() -> Void] = [
            { Self.add("a", to: "shared") },
            { #expect(SecItemUpdate(query, [kSecAttrLabel: "new"] as CFDictionary) == errSecSuccess) },
            { #expect(SecItemDelete(query) == errSecSuccess) },
        ]
        for step in steps {
            writer.run(step)
            let change = try #require(try await loop.next())
            #expect(change.group == "shared" && !seen.contains(change))
            seen.append(change)
        }
    }

    @Test(
        "A program hears nothing of groups that are not its own, and may not ask for them",
        .rule("access-groups.changes.foreign"))
    func foreign() async throws {
        let changes = try reader.run { try KeychainChanges() }
        #expect(changes.beginning.map(\.group) == ["shared", "other"])
        var loop = changes.makeAsyncIterator()
        stranger.run { for number in 0..<20 { Self.add("\(number)", to: "foreign") } }
        writer.run { Self.add("a", to: "own") }
        reader.run { Self.add("a", to: "other") }
        #expect(try await loop.next()?.group == "other")
        let now = try reader.run { try KeychainChanges() }.beginning
        #expect(now.first == changes.beginning.first, "the number of one group moves with others")
        #expect(now[1].number == changes.beginning[1].number + 1)
        let error = #expect(throws: SecItemError.self) { try reader.run { try KeychainChanges(in: ["foreign"]) } }
        #expect(error?.status == errSecMissingEntitlement)
        #expect(throws: SecItemError.self) { try reader.run { try KeychainChanges(in: ["shared", "foreign"]) } }
        #expect(throws: SecItemError.self) { try reader.run { try KeychainChanges(in: []) } }
    }

    @Test("Many changes may be one notice, and the last of them is never without one")
    func several() async throws {
        let changes = try reader.run { try KeychainChanges(in: ["shared"]) }
        var loop = changes.makeAsyncIterator()
        writer.run { for number in 0..<50 { Self.add("\(number)", to: "shared") } }
        let last = try reader.run { try KeychainChanges(in: ["shared"]) }.beginning
        var count = 0
        while let change = try await loop.next() {
            count += 1
            if change == last.first { break }
        }
        #expect((1...50).contains(count))
    }

    @Test(
        "A program that comes later with the numbers it knew hears of what it has missed, and of nothing else",
        .rule("access-groups.changes.missed"))
    func missed() async throws {
        let known = try reader.run { try KeychainChanges() }.beginning
        writer.run { Self.add("a", to: "shared") }
        var loop = try reader.run { try KeychainChanges(since: known) }.makeAsyncIterator()
        let missed = try #require(try await loop.next())
        #expect(missed.group == "shared" && !known.contains(missed))
        var next = try reader.run { try KeychainChanges(since: known + [missed]) }.makeAsyncIterator()
        reader.run { Self.add("a", to: "other") }
        #expect(try await next.next()?.group == "other")
    }

    @Test("After a restart, while a loop waits or between two, each group may have changed; a locked keychain tells it")
    func restarted() async throws {
        try keychain.device.setPasscode("1234")
        let known = try reader.run { try KeychainChanges(in: ["shared"]) }
        var waiting = known.makeAsyncIterator()
        try keychain.device.restart()
        #expect(try keychain.device.lockState == .beforeFirstUnlock)
        #expect(try await waiting.next()?.group == "shared")
        var later = try reader.run { try KeychainChanges(in: ["shared"], since: known.beginning) }.makeAsyncIterator()
        #expect(try await later.next()?.group == "shared")
    }

    @Test("A group that is named twice is watched once")
    func twice() throws {
        let changes = try reader.run { try KeychainChanges(in: ["shared", "other", "shared"]) }
        #expect(changes.beginning.map(\.group) == ["shared", "other"])
    }

    @Test("A loop ends with its task")
    func cancelled() async throws {
        let changes = try reader.run { try KeychainChanges() }
        let task = Task {
            var count = 0
            for try await _ in changes { count += 1 }
            return count
        }
        task.cancel()
        #expect(try await task.value == 0)
    }

    @Test("A keychain inside two processes: each notices that the other has written")
    func twoProcesses() async throws {
        let directory = try TemporaryDirectory()
        let folder = URL(filePath: directory.file("keychain"))
        let mine = try TestKeychain(accessGroups: ["shared"], folder: folder)
        let theirs = try TestKeychain(accessGroups: ["shared"], folder: folder)
        var loop = try mine.run { try KeychainChanges() }.makeAsyncIterator()
        theirs.run { Self.add("a", to: "shared") }
        #expect(try await loop.next()?.group == "shared")
    }
}
