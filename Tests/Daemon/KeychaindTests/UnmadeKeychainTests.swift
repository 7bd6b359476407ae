import EmbeddedKeychain
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("A keychain that nobody has made is made by the first who stores something")
struct UnmadeKeychainTests {
    private let fixture: DaemonFixture

    init() throws { fixture = try DaemonFixture() }

    private func keychain(_ mode: Configuration.Mode) throws(Refusal) -> any KeychainConnection {
        fixture.configuration.mode = mode
        let folder = fixture.configuration.folder
        return try fixture.configuration.keychain { _ throws(Refusal) in try EmbeddedKeychain(folder: folder) }
    }

    private var isMade: Bool { (try? FileStatus(at: fixture.configuration.folder + "/keychain.db")) != nil }

    @Test(
        "A search finds nothing, starts nothing and makes nothing; what is added then is found",
        arguments: Configuration.Mode.allCases)
    func staysUnmade(mode: Configuration.Mode) throws {
        let keychain = try keychain(mode)
        #expect(try !keychain.has("alice"))
        #expect(try FileStatus(at: fixture.configuration.folder) == nil)
        #expect(fixture.configuration.isUnmade)
        try keychain.add("alice")
        #expect(isMade)
        #expect(!fixture.configuration.isUnmade)
        #expect(try keychain.has("alice"))
    }

    @Test("What another program has stored is found by one that found nothing before")
    func noticesOthers() throws {
        let (first, second) = (try keychain(.daemon), try keychain(.daemon))
        #expect(try !first.has("alice"))
        try second.add("alice")
        #expect(try first.has("alice"))
    }

    @Test("A request that breaks the rules is refused as by any keychain")
    func checks() throws {
        let keychain = try keychain(.daemon)
        #expect(failure { () throws(Refusal) in try keychain.send(ItemRequest(.copyMatching)) }?.rule == .classMissing)
        #expect(!isMade)
    }

    @Test("A search with a context is none for the user either")
    func asksNobody() throws {
        let keychain = try keychain(.daemon)
        var request = ItemRequest(.copyMatching)
        request.itemClass = .genericPassword
        let prompt = Prompt(interaction: .never, reason: "", surroundings: PromptEnvironment())
        #expect(
            failure { () throws(Refusal) in
                try keychain.authentication(.perform(.item(request), context: nil, prompt: prompt), descriptors: [])
            }?.status == .itemNotFound)
        #expect(!isMade)
    }

    @Test(
        "What is left of a keychain is none that is unmade",
        arguments: ["keychain.db", "keychain.made", "vault"])
    func seesRemains(name: String) throws {
        try PrivateDirectory.ensure(fixture.configuration.folder)
        #expect(fixture.configuration.isUnmade)
        try AtomicFile.replace("\(fixture.configuration.folder)/\(name)", with: [1].span)
        #expect(!fixture.configuration.isUnmade)
    }

    @Test("A folder that others may enter is refused by a search too, and left as it is")
    func refusesOpenFolder() throws {
        try PrivateDirectory.ensure(fixture.configuration.folder)
        _ = unsafe chmod(fixture.configuration.folder, 0o755)
        #expect(failure { () throws(Refusal) in try keychain(.embedded) }?.problem.contains("chmod 700") == true)
        #expect(!isMade)
    }
}
