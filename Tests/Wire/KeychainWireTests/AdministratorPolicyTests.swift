import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("The administrator's policy")
struct AdministratorPolicyTests {
    private let folder: TemporaryDirectory
    private var path: String { folder.file("keychain.conf") }

    init() throws { folder = try TemporaryDirectory() }

    private func load(trusting owner: UInt32 = CurrentProcess.user) throws(Refusal) -> AdministratorPolicy {
        try .load(from: path, trusting: TrustedFiles(owner: owner, below: folder.path))
    }

    private func load(_ text: String) throws -> AdministratorPolicy {
        try AtomicFile.replace(path, with: Array(text.utf8).span)
        return try load()
    }

    @Test("Where there is no file there is no demand")
    func isAbsent() throws {
        let policy = try load()
        #expect(policy.minimumPasscode == 0 && !policy.requiresTPM && policy.longestIdle == 0 && !policy.locksOnSleep)
        #expect(policy.fixed == [])
        #expect(failure { () throws(Refusal) in try policy.checkRemoval() } == nil)
    }

    @Test("Every demand is read, and what is another setting is one that users may not change")
    func reads() throws {
        let policy = try load(
            "# of the house\n\nminimum-passcode = 8\nrequire-tpm=yes\r\n lock-after = 300\nlock-on-sleep = yes\n"
                + "history-days = 7\n")
        #expect(policy.minimumPasscode == 8 && policy.requiresTPM && policy.longestIdle == 300 && policy.locksOnSleep)
        #expect(policy.fixed.map(\.key) == ["history-days"] && policy.fixed[0].place == "\(path):7")
        #expect(policy.fixed[0].says("7") && policy.fixed[0].says("007") && !policy.fixed[0].says("8"))
    }

    @Test(
        "A line that makes no sense is refused by its number",
        arguments: [
            "minimum-passcode = 0", "minimum-passcode = many", "minimum-passcode =", "lock-after = 0",
            "lock-after = -1",
            "lock-after = 99999999999", "require-tpm = true", "lock-on-sleep = 1", "nonsense",
        ])
    func refusesNonsense(line: String) throws {
        let refusal = failure { () throws(Refusal) in
            do { _ = try load("# first\n\(line)\n") } catch let error as Refusal { throw error } catch {}
        }
        #expect(refusal?.status == .param && refusal?.subject == "\(path):2")
    }

    @Test(
        "A file that others may write or replace, or of another user, is not believed, and nothing holds then"
    )
    func distrusts() throws {
        _ = try load("minimum-passcode = 8\n")
        let owner = CurrentProcess.user
        for (file, mode) in [(path, mode_t(0o666)), (path, 0o620), (folder.path, 0o777), (folder.path, 0o770)] {
            let before = try #require(try FileStatus(at: file)).mode & 0o7777
            unsafe chmod(file, mode)
            let refusal = failure { () throws(Refusal) in try load() }
            #expect(refusal?.rule == .untrustedPolicy && refusal?.status == .notAvailable, "\(file) \(mode)")
            #expect(refusal?.problem.contains(path) == true)
            unsafe chmod(file, mode_t(before))
        }
        #expect(failure { () throws(Refusal) in try load(trusting: owner + 1) }?.rule == .untrustedPolicy)
        #expect(failure { () throws(Refusal) in try load() } == nil)
    }

    @Test("A link that leads nowhere, a folder and a file too large are not believed")
    func distrustsOtherThings() throws {
        unsafe symlink("/nowhere", path)
        #expect(failure { () throws(Refusal) in try load() }?.rule == .untrustedPolicy)
        unsafe unlink(path)
        unsafe mkdir(path, 0o755)
        #expect(failure { () throws(Refusal) in try load() }?.rule == .untrustedPolicy)
        unsafe rmdir(path)
        try AtomicFile.replace(path, with: [UInt8](repeating: 10, count: 65 << 10).span)
        #expect(failure { () throws(Refusal) in try load() }?.rule == .untrustedPolicy)
    }

    @Test("Of the user's settings and the policy's, the one that locks earlier holds")
    func tightens() throws {
        let policy = try load("lock-after = 300\nlock-on-sleep = yes\n")
        for (idle, holds) in [(UInt32(0), UInt32(300)), (60, 60), (300, 300), (301, 300)] {
            #expect(policy.applied(to: DeviceSettings(idleSeconds: idle)).idleSeconds == holds)
        }
        #expect(policy.applied(to: DeviceSettings()).locksOnSleep)
        let good = DeviceSettings(locksOnSleep: true, idleSeconds: 300)
        #expect(failure { () throws(Refusal) in try policy.check(good) } == nil)
        for bad in [
            DeviceSettings(), .init(idleSeconds: 60), .init(locksOnSleep: true),
            .init(locksOnSleep: true, idleSeconds: 301),
        ] {
            let refusal = failure { () throws(Refusal) in try policy.check(bad) }
            #expect(refusal?.rule == .administrator && refusal?.problem.contains(path) == true)
        }
    }

    @Test("Characters are counted, not bytes")
    func countsCharacters() throws {
        let policy = try load("minimum-passcode = 4\n")
        func check(_ text: String) -> Refusal? {
            failure { () throws(Refusal) in try policy.check(passcode: SecretBytes(copying: Array(text.utf8).span)) }
        }
        #expect(check("密码密") != nil && check("äöü") != nil && check("abc") != nil && check("") != nil)
        #expect(check("密码密码") == nil && check("äöüß") == nil && check("abcd") == nil)
        #expect(check("abc")?.problem.contains("at least 4 characters") == true)
    }
}
