import Foundation
import KeychainTesting
import ProtectedFiles
import Security
import TestSupport
import Testing

@Suite("Protected files and the lock")
struct LockedFileTests {
    private let keychain: TestKeychain
    private let folder: URL
    private let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.folder.appending(path: "files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try keychain.device.setPasscode("1234")
    }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    /// The classes in which something goes through; all others are refused as locked.
    private func goes(_ body: (ProtectedFile.Protection) throws -> Void) -> Set<ProtectedFile.Protection> {
        Set(
            ProtectedFile.Protection.allCases.filter { protection in
                guard let refusal = error({ try body(protection) }) else { return true }
                #expect(refusal.status == errSecInteractionNotAllowed, "\(refusal)")
                return false
            })
    }

    @Test("Files are made, opened and gone on with as their class and the lock say")
    func table() throws {
        let all = Set(ProtectedFile.Protection.allCases)
        try keychain.run {
            var readers: [ProtectedFile.Protection: ProtectedFile.Reader] = [:]
            var writers: [ProtectedFile.Protection: ProtectedFile.Writer] = [:]
            for protection in all {
                try content.write(to: file("\(protection)"), protection: .init(protection))
                readers[protection] = try .init(readingFrom: file("\(protection)"))
                writers[protection] = try .init(writingTo: file("new \(protection)"), .init(protection))
                try writers[protection]?.write(content.prefix(1000))
            }
            func create(_ protection: ProtectedFile.Protection) throws {
                try content.write(to: file("more"), protection: .init(protection))
            }
            func open(_ protection: ProtectedFile.Protection) throws {
                _ = try ProtectedFile.Reader(readingFrom: file("\(protection)"))
            }
            func read(_ protection: ProtectedFile.Protection) throws {
                #expect(try readers[protection]?.read(at: 0, count: .max) == content)
            }
            var written = Dictionary(uniqueKeysWithValues: all.map { ($0, content.prefix(1000)) })
            func write(_ protection: ProtectedFile.Protection) throws {
                try writers[protection]?.write(content)
                written[protection]? += content
            }
            try keychain.device.lock()
            #expect(goes(create) == [.completeUnlessOpen, .completeUntilFirstUserAuthentication, .none])
            #expect(goes(open) == [.completeUntilFirstUserAuthentication, .none])
            #expect(goes(read) == all.subtracting([.complete]))
            #expect(goes(write) == all.subtracting([.complete]))
            try keychain.device.restart()
            #expect(goes(create) == [.completeUnlessOpen, .none])
            #expect(goes(open) == [.none])
            #expect(goes(read) == [.completeUnlessOpen, .none])
            #expect(goes(write) == [.completeUnlessOpen, .none])
            #expect(error { try writers[.complete]?.close() }?.rule == "file.locked")
            try keychain.device.unlock(passcode: "1234")
            for call in [create, open, read, write] { #expect(goes(call) == all) }
            for protection in all {
                try writers[protection]?.close()
                #expect(try Data(contentsOfProtected: file("new \(protection)")) == written[protection])
            }
        }
    }

    @Test("No thread gets content of class A after the lock has returned")
    func threads() async throws {
        try await keychain.run {
            try content.write(to: file("file"), protection: .init(.complete))
            let open = try ProtectedFile.Reader(readingFrom: file("file"))
            let isLocked = Flag()
            let late = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while true {
                            let began = isLocked.isSet
                            let refusal = error { _ = try open.read(at: 100_000, count: 1000) }
                            if refusal != nil || began { return began && refusal == nil }
                        }
                    }
                }
                try? keychain.device.lock()
                isLocked.set()
                return await group.contains(true)
            }
            #expect(!late)
        }
    }

    @Test("Programs are told when protected data comes and goes")
    func changes() async throws {
        try await keychain.run {
            #expect(ProtectedData.isAvailable)
            var seen: [Bool] = []
            for await isAvailable in ProtectedData.changes {
                seen.append(isAvailable)
                #expect(ProtectedData.isAvailable == isAvailable)
                switch seen.count {
                case 1: try keychain.device.lock()
                case 2: try keychain.device.unlock(passcode: "1234")
                default: break
                }
                if seen.count == 3 { break }
            }
            #expect(seen == [true, false, true])
        }
    }
}

/// A flag that threads share.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
