import KeychainClient
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import SecretService

@Suite("Which program keeps a user's secrets where all users have the bridge")
struct DesktopChoiceTests {
    private let home: TemporaryDirectory

    init() throws { home = try TemporaryDirectory() }

    private func olderKeyring() throws -> String? {
        let variables = ["XDG_DATA_HOME": home.file("data"), "XDG_STATE_HOME": home.file("state")]
        return try DesktopChoice { variables[$0] }.olderKeyring()
    }

    private func makeKeyring(_ name: String) throws -> String {
        let path = home.file("data/\(name)")
        try PrivateDirectory.ensure(try #require(PrivateDirectory.parent(of: path)))
        try AtomicFile.replace(path, with: [UInt8]().span)
        return path
    }

    @Test("A user without an older keyring has the bridge, and keeps it when PAM makes a keyring at a later login")
    func newUser() throws {
        #expect(try olderKeyring() == nil)
        _ = try makeKeyring("keyrings/login.keyring")
        #expect(try olderKeyring() == nil)
    }

    @Test(
        "A user with an older keyring or wallet stays with its service",
        arguments: [
            "keyrings/login.keyring", "kwalletd/kdewallet.kwl",
        ])
    func olderUser(_ name: String) throws {
        let keyring = try makeKeyring(name)
        #expect(try olderKeyring() == keyring)
        #expect(try olderKeyring() == keyring)
        try AtomicFile.remove(keyring)
        #expect(try olderKeyring() == nil)
    }

    @Test("An imported keyring is left out until it changes; any other one counts")
    func imported() throws {
        let note = ImportedKeyrings(state: home.file("state"))
        func first() -> String? { OlderKeyring.first(below: home.file("data"), except: note) }
        let keyring = try makeKeyring("keyrings/login.keyring")
        let line = try #require(ImportedKeyrings.line(of: keyring))
        #expect(first() == keyring)
        try note.add([line])
        #expect(first() == nil)
        let wallet = try makeKeyring("kwalletd/kdewallet.kwl")
        #expect(first() == wallet)
        try note.add([try #require(ImportedKeyrings.line(of: wallet))])
        #expect(first() == nil)
        let later: [UInt8] = [1]
        try AtomicFile.replace(keyring, with: later.span)
        #expect(first() == keyring)
        try AtomicFile.remove(keyring)
        #expect(first() == nil)
        try note.forget()
        #expect(first() == wallet)
    }

    @Test("A choice that cannot be noted is none: the next start could choose otherwise")
    func noNote() throws {
        try AtomicFile.replace(home.file("state"), with: [UInt8]().span)
        #expect(throws: SystemError.self) { try olderKeyring() }
    }

    @Test("Without a home nobody knows whether there is an older keyring")
    func noHome() { #expect(failure { () throws(Refusal) in try DesktopChoice { _ in nil } }?.status == .param) }

    @Test("The service from before is a row of plain words behind an absolute path, or is not begun")
    func former() throws {
        func words(_ text: String) throws -> [String] {
            try AtomicFile.replace(home.file("s.service"), with: Array(text.utf8).span)
            return try FormerService(home.file("s.service")).words
        }
        #expect(try words("[D-BUS Service]\nName=n\nExec=/bin/a --start  b\n") == ["/bin/a", "--start", "b"])
        for text in ["", "Exec=", "Exec=a b", "Exec=/bin/a 'b c'", "Exec=/bin/a \"b\"", "Exec=/bin/a\\ b"] {
            #expect(throws: SystemError.self) { try words(text) }
        }
        #expect(throws: SystemError.self) { try FormerService(home.file("none")) }
    }
}
