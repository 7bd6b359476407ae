import Foundation
import KeychainTesting
import Security
import TestSupport
import Testing

/// A program's tests of several devices, as its developer writes them.
@Suite("Several simulated devices")
struct TestCircleTests {
    private static let account = "anna"

    private static var place: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "app", kSecAttrAccount: account,
            kSecAttrSynchronizable: true,
        ]
    }

    private static func save(_ token: String) {
        let change = [kSecValueData: Data(token.utf8)] as CFDictionary
        guard SecItemUpdate(place as CFDictionary, change) == errSecItemNotFound else { return }
        let item = place.merging([kSecValueData: Data(token.utf8)]) { $1 }
        #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
    }

    private static func load() -> String? {
        var found: CFTypeRef?
        let query = place.merging([kSecReturnData: true]) { $1 }
        guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
        return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func forget() { #expect(SecItemDelete(place as CFDictionary) == errSecSuccess) }

    private static func tokens(_ circle: TestCircle) -> [String?] { circle.devices.map { $0.keychain.run { load() } } }

    @Test("What is stored, changed and deleted on one device is so on the others after they have synchronised")
    func travels() throws {
        let circle = try TestCircle(["laptop", "phone", "tablet"])
        circle["laptop"].keychain.run { Self.save("1") }
        #expect(Self.tokens(circle) == ["1", nil, nil])
        #expect(try circle["laptop"].unsentChanges == 1)
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["1", "1", "1"])
        #expect(try circle["laptop"].unsentChanges == 0)
        circle["tablet"].keychain.run { Self.save("2") }
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["2", "2", "2"])
        circle["phone"].keychain.run { Self.forget() }
        try circle.synchronize()
        #expect(Self.tokens(circle) == [nil, nil, nil])
    }

    @Test("A device that is offline keeps what it has, sends what it has changed when it is online, and loses nothing")
    func offline() throws {
        let circle = try TestCircle(["laptop", "phone"])
        circle["phone"].goOffline()
        circle["laptop"].keychain.run { Self.save("1") }
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["1", nil])
        circle["phone"].goOnline()
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["1", "1"])
        circle["phone"].goOffline()
        circle["phone"].keychain.run { Self.save("2") }
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["1", "2"])
        #expect(!circle["phone"].isOnline)
        circle["phone"].goOnline()
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["2", "2"])
    }

    @Test("Of two changes of one item on two devices the later one is on both, in whatever order they synchronise")
    func conflict() throws {
        for first in ["laptop", "phone"] {
            let circle = try TestCircle(["laptop", "phone"])
            circle["laptop"].keychain.run { Self.save("0") }
            try circle.synchronize()
            for device in circle.devices { device.goOffline() }
            circle["laptop"].keychain.run { Self.save("earlier") }
            circle["phone"].keychain.run { Self.save("later") }
            circle[first].goOnline()
            try circle.synchronize()
            for device in circle.devices { device.goOnline() }
            try circle.synchronize()
            #expect(Self.tokens(circle) == ["later", "later"])
        }
    }

    @Test("A removed device keeps what it had, learns that it was removed, and neither gets nor gives anything")
    func removed() throws {
        let circle = try TestCircle(["laptop", "phone", "tablet"])
        circle["laptop"].keychain.run { Self.save("1") }
        try circle.synchronize()
        try circle.remove(circle["phone"])
        circle["laptop"].keychain.run { Self.save("2") }
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["2", "1", "2"])
        #expect(try circle["phone"].isRemoved && !circle["tablet"].isRemoved)
        circle["phone"].keychain.run { Self.save("3") }
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["2", "3", "2"])
    }

    @Test("A device that is added gets what there was, and gives what it had; one without others online is refused")
    func added() throws {
        let circle = try TestCircle(["laptop"])
        circle["laptop"].keychain.run { Self.save("1") }
        let other = try TestKeychain()
        other.run {
            let item: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "older", kSecAttrSynchronizable: true,
            ]
            #expect(SecItemAdd(item as CFDictionary, nil) == errSecSuccess)
        }
        try circle.add("phone", keychain: other)
        #expect(Self.tokens(circle) == ["1", "1"])
        let older =
            [
                kSecClass: kSecClassGenericPassword, kSecAttrAccount: "older", kSecAttrSynchronizable: true,
            ] as [CFString: Any] as CFDictionary
        #expect(circle["laptop"].keychain.run { SecItemCopyMatching(older, nil) } == errSecSuccess)
        #expect(throws: TestKeychainError.self) { try circle.add("phone") }
        for device in circle.devices { device.goOffline() }
        #expect(throws: TestKeychainError.self) { try circle.add("tablet") }
        #expect(throws: TestKeychainError.self) { try circle.remove(circle["phone"]) }
        #expect(throws: TestKeychainError.self) { try TestCircle([]) }
    }

    @Test("A backup that is restored brings a deleted item back, on all devices")
    func restored() throws {
        let circle = try TestCircle(["laptop", "phone"])
        circle["laptop"].keychain.run { Self.save("1") }
        try circle.synchronize()
        let backup = try circle["laptop"].keychain.backUp()
        #expect(backup.items == 1)
        circle["phone"].keychain.run { Self.forget() }
        try circle.synchronize()
        #expect(Self.tokens(circle) == [nil, nil])
        #expect(try circle["laptop"].keychain.restore(backup) == 1)
        try circle.synchronize()
        #expect(Self.tokens(circle) == ["1", "1"])
        // A new device, from the backup alone.
        let replacement = try TestKeychain()
        #expect(try replacement.restore(backup) == 1)
        #expect(replacement.run { Self.load() } == "1")
    }

    @Test("A device that was restarted is waited for until it is unlocked, and its program hears what has come")
    func restarted() async throws {
        let circle = try TestCircle(["laptop", "phone"])
        try circle["phone"].device.restart()
        circle["laptop"].keychain.run { Self.save("1") }
        try circle.synchronize()
        try circle["phone"].device.unlock(passcode: TestCircle.passcode)
        #expect(Self.tokens(circle) == ["1", nil])
        let changes = try circle["phone"].keychain.run { try KeychainChanges() }
        var loop = changes.makeAsyncIterator()
        try circle.synchronize()
        #expect(try await loop.next()?.group == "TEST.program")
        #expect(Self.tokens(circle) == ["1", "1"])
    }

    @Test("The script of a device's user is not used up by its circle")
    func script() throws {
        let circle = try TestCircle(["laptop", "phone"])
        circle["phone"].device.user.will(.cancel)
        try circle.remove(circle["laptop"])
        #expect(circle["phone"].device.user.unusedAnswers == 1)
        #expect(circle["phone"].device.user.questions.isEmpty)
    }
}
