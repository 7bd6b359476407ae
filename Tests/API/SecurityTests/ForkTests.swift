import KeychainTesting
import LinuxSystem
import Security
import Synchronization
import TestSupport
import Testing

/// A child of `fork` without `exec`, over the same files as its parent.
@Suite("Forked processes")
struct ForkTests {
    private static func temporaryFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: "keychain-\(UUID().uuidString)")
    }

    @Test("A child finds its parent's items, and each sees what the other adds")
    func shared() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            keychain.run {
                add(genericPassword("parent") + [kSecValueData: Data("p")])
                let child = ForkedChild {
                    guard value(genericPassword("parent")) == Data("p") else { return 1 }
                    return add(genericPassword("child") + [kSecValueData: Data("c")])
                }
                #expect(child.waitForExit() == 0)
                #expect(value(genericPassword("child")) == Data("c"))
                #expect(add(genericPassword("afterwards")) == errSecSuccess)
                #expect(count([kSecClass: kSecClassGenericPassword]) == 3)
            }
        }
    }

    @Test("Parent, children and grandchildren write at the same time, and nothing is lost or damaged")
    func allWrite() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            try keychain.run {
                func addTwenty(_ name: String) -> CInt {
                    (0..<20).allSatisfy { add(genericPassword(name, "\($0)")) == errSecSuccess } ? 0 : 1
                }
                add(genericPassword("first"))
                let children = (0..<4).map { number in
                    ForkedChild {
                        let grandchild = ForkedChild { addTwenty("grandchild \(number)") }
                        return addTwenty("child \(number)") + grandchild.waitForExit()
                    }
                }
                #expect(addTwenty("parent") == 0)
                for child in children { #expect(child.waitForExit() == 0) }
                #expect(count([kSecClass: kSecClassGenericPassword]) == 1 + 9 * 20)
                let damaged = try keychain.device.damagedItems()
                #expect(damaged == 0)
            }
        }
    }

    @Test("A parent that reads without pause sees at once what its children have changed, and they what it has")
    func readingAndWriting() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            keychain.run {
                add(genericPassword() + [kSecValueData: Data("0")])
                func readsAlways(_ number: Int, times: Int) -> Bool {
                    (0..<times).allSatisfy { _ in value(genericPassword()) == Data("\(number)") }
                }
                // A process with so many reads gets a thread, which the thread sanitizer forbids in a forked child.
                let childsTimes = Sanitizer.watchesThreads ? 10 : 70
                for number in 0..<20 {
                    #expect(readsAlways(number, times: 70), "round \(number)")
                    let child = ForkedChild {
                        guard readsAlways(number, times: childsTimes) else { return 1 }
                        return SecItemUpdate(
                            genericPassword() as CFDictionary, [kSecValueData: Data("\(number + 1)")] as CFDictionary)
                    }
                    let end = child.waitForExit()
                    #expect(end == 0, "round \(number): \(end)")
                }
            }
        }
    }

    @Test("A child that is forked while its parent's locks are let go finds its keychain usable")
    func whileLettingGo() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            keychain.run {
                add(genericPassword() + [kSecValueData: Data("v")])
                for round in 0..<20 {
                    for _ in 0..<70 { #expect(value(genericPassword()) == Data("v")) }
                    // The locks are released after 100 to 200 ms without a read.
                    letPass(microseconds: UInt32(95_000 + 500 * round))
                    let child = ForkedChild { value(genericPassword()) == Data("v") ? 0 : 1 }
                    let end = child.waitForExit()
                    #expect(end == 0, "round \(round): \(end)")
                }
            }
        }
    }

    @Test("A program that has opened its keychain twice loses nothing when another process closes its own")
    func openedTwice() async {
        await #expect(processExitsWith: .success) {
            let folder = Self.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            var keychains: [TestKeychain] = []
            for number in 0..<2 {
                keychains.append(try TestKeychain(folder: folder))
                keychains[number].run { #expect(add(genericPassword("parent \(number)")) == errSecSuccess) }
            }
            // The child opens both again and closes them. The last user of a store would remove its log.
            let child = ForkedChild {
                for keychain in keychains {
                    guard keychain.run({ count([kSecClass: kSecClassGenericPassword]) }) == 2 else { return 1 }
                }
                keychains.removeAll()
                return 0
            }
            #expect(child.waitForExit() == 0)
            keychains[0].run { #expect(add(genericPassword("afterwards")) == errSecSuccess) }
            let other = ForkedChild { CInt(keychains[1].run { count([kSecClass: kSecClassGenericPassword]) }) }
            #expect(other.waitForExit() == 3)
        }
    }

    @Test("A child works on after its parent has let the keychain go, and what it adds stays")
    func outlivesParent() async {
        await #expect(processExitsWith: .success) {
            let folder = Self.temporaryFolder()
            defer { try? FileManager.default.removeItem(at: folder) }
            let (input, output) = (Pipe(), Pipe())
            var keychain: TestKeychain? = try TestKeychain(folder: folder)
            let child = try #require(
                keychain?.run {
                    add(genericPassword("parent"))
                    return ForkedChild {
                        guard add(genericPassword("child, first")) == errSecSuccess else { return 1 }
                        output.fileHandleForWriting.write(Data([1]))
                        _ = input.fileHandleForReading.readData(ofLength: 1)
                        return add(genericPassword("child, last"))
                    }
                })
            #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
            keychain = nil
            input.fileHandleForWriting.write(Data([1]))
            #expect(child.waitForExit() == 0)
            try TestKeychain(folder: folder).run { #expect(count([kSecClass: kSecClassGenericPassword]) == 3) }
        }
    }

    @Test(
        "A child does not find the device unlocked because its parent has unlocked it", .rule("c-interface.calls.fork"))
    func locked() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            try keychain.run {
                add(genericPassword() + [kSecValueData: Data("v")])
                try keychain.device.setPasscode("1234")
                let child = ForkedChild {
                    let status = find(genericPassword() + [kSecReturnData: true]).status
                    guard status == errSecInteractionNotAllowed else { return 1 }
                    guard (try? keychain.device.unlock(passcode: "1234")) != nil else { return 2 }
                    return value(genericPassword()) == Data("v") ? 0 : 3
                }
                #expect(child.waitForExit() == 0)
                #expect(value(genericPassword()) == Data("v"))
            }
        }
    }

    @Test(
        "A child that was forked while other threads use the keychain works or is refused, and never hangs",
        .enabled(if: !Sanitizer.watchesThreads, "a child of several threads hangs in the thread sanitizer"))
    func whileInUse() async {
        await #expect(processExitsWith: .success) {
            let keychain = try TestKeychain()
            keychain.run { _ = add(genericPassword() + [kSecValueData: Data("v")]) }
            let reads = Reads()
            let readers = try (0..<2).map { _ in try Self.startReading(keychain, until: reads) }
            // Swift's runtime holds locks of its own while a thread does something for the first time, such as looking
            // a conformance up. A child that is forked then finds them locked.
            #expect(eventually { reads.count.load(ordering: .relaxed) > 50 })
            keychain.run { for _ in 0..<50 { Self.expectChildReads() } }
            reads.areEnough.store(true, ordering: .relaxed)
            for reader in readers { reader.join() }
        }
    }

    private final class Reads: Sendable {
        let count = Atomic(0)
        let areEnough = Atomic(false)
    }

    private static func startReading(_ keychain: TestKeychain, until reads: Reads) throws -> LinuxSystem.Thread {
        try LinuxSystem.Thread(named: "reader") {
            keychain.run {
                while !reads.areEnough.load(ordering: .relaxed) {
                    let found = find(genericPassword() + [kSecReturnData: true])
                    #expect(found.data == Data("v"), "a thread of the parent got \(found.status)")
                    reads.count.add(1, ordering: .relaxed)
                }
            }
        }
    }

    private static func expectChildReads() {
        let report = Pipe()
        let child = ForkedChild {
            let found = find(genericPassword() + [kSecReturnData: true])
            if found.data == Data("v") { return 0 }
            let error = SecCopyLastItemError()
            if found.status == errSecNotAvailable, error?.subject == "process" { return 0 }
            report.fileHandleForWriting.write(Data("\(found.status): \(String(describing: error))"))
            return 1
        }
        let end = child.waitForExit()
        try? report.fileHandleForWriting.close()
        let words = String(decoding: report.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(end == 0, "a child ended with \(end); \(words)")
    }
}
