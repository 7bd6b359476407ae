import Foundation
import KeychainTesting
import LocalAuthentication
import ProtectedFiles
import Security
import Testing

@Suite("Protected files of Swift programs")
struct ProtectedFileTests {
    private let keychain: TestKeychain
    private let folder: URL
    private let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

    init() throws {
        keychain = try TestKeychain()
        folder = keychain.folder.appending(path: "files")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func file(_ name: String) -> URL { folder.appending(path: name) }

    private func mode(_ url: URL) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
    }

    @Test(
        "Content of any size comes back, and none of it is on the disk",
        arguments: ProtectedFile.Protection.allCases, [0, 1, 65_535, 65_536, 65_537, 200_000])
    func roundTrip(_ protection: ProtectedFile.Protection, _ size: Int) throws {
        try keychain.run {
            let (url, part) = (file("file"), content.prefix(size))
            try part.write(to: url, protection: .init(protection))
            #expect(try Data(contentsOfProtected: url) == part)
            let sealed = try Data(contentsOf: url)
            if size > 64 { #expect(sealed.range(of: part.prefix(64)) == nil) }
            let info = try ProtectedFile.info(of: url)
            #expect(info.protection == protection && info.length == UInt64(size))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
            #expect(try mode(url) == 0o600)
        }
    }

    @Test("An open file is read anywhere, and part by part")
    func random() async throws {
        try await keychain.run {
            let long = Data((0..<20).flatMap { _ in content })
            try long.write(to: file("long"), protection: .init(.completeUnlessOpen))
            let open = try ProtectedFile.Reader(readingFrom: file("long"))
            #expect(open.length == UInt64(long.count))
            for (start, count) in [(0, 1), (65_535, 2), (65_536, 65_536), (70_000, 3_000_000), (3_999_990, 100)] {
                let part = try open.read(at: UInt64(start), count: count)
                #expect(part == long[start..<min(start + count, long.count)])
            }
            #expect(try open.read(at: UInt64.max, count: Int.max).isEmpty)
            #expect(try open.read(at: 0, count: -1).isEmpty)
            var parts = Data()
            for try await part in open.parts(from: 10) { parts += part }
            #expect(parts == long[10...])
            open.close()
            #expect(error { _ = try open.read(at: 0, count: 1) }?.rule == "file.ended")
        }
    }

    @Test("A file takes its name when it is complete, and not before")
    func whole() throws {
        try keychain.run {
            try content.write(to: file("file"))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file("file").path)
            for ends in [false, true] {
                let writer = try ProtectedFile.Writer(writingTo: file("file"))
                for _ in 0..<3 { try writer.write(content) }
                #expect(try Data(contentsOf: file("file")) == content)
                guard ends else { writer.cancel(); continue }
                try writer.close()
                #expect(error { try writer.close() }?.rule == "file.ended")
            }
            #expect(try Data(contentsOfProtected: file("file")) == content + content + content)
            #expect(try mode(file("file")) == 0o640)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        }
    }

    @Test("A file is encrypted in its place, and goes to another class with its content")
    func moved() throws {
        try keychain.device.setPasscode("1234")
        try keychain.run {
            let url = file("file")
            try content.write(to: url)
            for protection in [.complete, .none, .completeUnlessOpen, .complete] as [ProtectedFile.Protection] {
                try ProtectedFile.setProtection(.init(protection), of: url)
                #expect(try ProtectedFile.info(of: url).protection == protection)
                #expect(try Data(contentsOfProtected: url) == content)
            }
            let before = try Data(contentsOf: url)
            try ProtectedFile.setProtection(.init(.complete), of: url)
            #expect(try Data(contentsOf: url) == before)
            try keychain.device.lock()
            #expect(error { try ProtectedFile.setProtection(.init(.none), of: url) }?.status == -25308)
            #expect(try Data(contentsOf: url) == before)
        }
    }

    @Test("A file that is not whole, not protected or another group's is refused with its status")
    func refusals() throws {
        try content.write(to: file("plain"))
        try keychain.run {
            try content.write(to: file("file"), protection: .init())
            #expect(error { _ = try Data(contentsOfProtected: file("plain")) }?.status == -25257)
            #expect(error { _ = try Data(contentsOfProtected: file("none")) }?.status == errSecIO)
            #expect(error { _ = try Data(contentsOfProtected: folder) }?.status == errSecIO)
            let web = try #require(URL(string: "https://example.org/file"))
            #expect(error { try content.write(to: web, protection: .init()) }?.status == errSecParam)
            var options = ProtectedFile.Options()
            options.accessGroup = "OTHER.program"
            let foreign = error { try content.write(to: file("new"), protection: options) }
            #expect(foreign?.status == errSecMissingEntitlement)
            options.accessGroup = nil
            options.accessControl = [.or, .and]
            #expect(error { try content.write(to: file("new"), protection: options) }?.status == errSecParam)
        }
        keychain.program(accessGroups: ["OTHER.program"]).run {
            #expect(error { _ = try Data(contentsOfProtected: file("file")) }?.status == errSecMissingEntitlement)
        }
        var sealed = try Data(contentsOf: file("file"))
        sealed[8192 + 70_000] ^= 1
        try sealed.write(to: file("file"))
        try keychain.run {
            let open = try ProtectedFile.Reader(readingFrom: file("file"))
            #expect(try open.read(at: 0, count: 100) == content.prefix(100))
            #expect(error { _ = try open.read(at: 60_000, count: 10_000) }?.rule == "file.damaged")
        }
        try sealed.dropLast().write(to: file("file"))
        let cutOff = keychain.run { error { _ = try ProtectedFile.Reader(readingFrom: file("file")) } }
        #expect(cutOff?.rule == "file.damaged")
    }

    @Test("A file with a password of its own opens with it, also where the user types it")
    func password() throws {
        try keychain.run {
            var options = ProtectedFile.Options()
            options.accessControl = .applicationPassword
            keychain.device.user.will(.password("open sesame"))
            try options.write(content, to: file("file"))
            let context = LAContext()
            #expect(context.setCredential(Data("open sesame".utf8), type: .applicationPassword))
            #expect(try Data(contentsOfProtected: file("file"), context: context) == content)
            #expect(context.setCredential(Data("something".utf8), type: .applicationPassword))
            let wrong = error { _ = try Data(contentsOfProtected: file("file"), context: context) }
            #expect(wrong?.status == errSecAuthFailed)
        }
    }

    @Test("A file with an access control opens when the user has shown what it wants")
    func guarded() throws {
        keychain.device.enrol(finger: "thumb")
        try keychain.run {
            var options = ProtectedFile.Options(.complete)
            options.accessControl = .biometryAny
            let context = LAContext()
            context.localizedReason = "to keep a letter"
            keychain.device.user.will(.touch("thumb"))
            try options.write(content, to: file("file"), context: context)
            #expect(try Data(contentsOfProtected: file("file"), context: context) == content)
            #expect(keychain.device.user.questions.count == 1)
            #expect(keychain.device.user.questions.first?.reason.contains("to keep a letter") == true)
            #expect(error { _ = try Data(contentsOfProtected: file("file")) } != nil)
            context.invalidate()
            let invalid = error { _ = try Data(contentsOfProtected: file("file"), context: context) }
            #expect(invalid?.status == errSecAuthFailed)
        }
    }

    @Test("Recovery recipients are in the header of a file, and of one that is moved; other texts are refused")
    func recovery() throws {
        let recipient = "age1cx44ltsvq9m3h8gwdcw9k0cq0fajc8t74d82dl0zu8qga0exdpnsz483p2"
        try keychain.run {
            var options = ProtectedFile.Options()
            options.recovery = [recipient, recipient]
            try options.write(content, to: file("file"))
            try ProtectedFile.setProtection(.init(.none), of: file("file"))
            let header = try Data(contentsOf: file("file")).prefix(4096)
            // The number of slots, and the kind of the second.
            #expect(header[14] == 2 && header[64 + 80] == 3)
            #expect(try Data(contentsOfProtected: file("file")) == content)
            for wrong in [[""], ["age1"], [recipient + "q"]] {
                options.recovery = wrong
                #expect(error { try options.write(content, to: file("other")) }?.status == errSecParam)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        }
    }
}

/// The error of a call; nil when it throws none.
func error(_ body: () throws -> Void) -> SecItemError? {
    do { try body() } catch { return error as? SecItemError }
    return nil
}
