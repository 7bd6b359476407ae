import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainClient

@Suite("Configuration: environment, file, defaults")
struct ConfigurationTests {
    private let home: TemporaryDirectory
    init() throws { home = try TemporaryDirectory() }

    /// Reads an environment with this test's home, where the administrator has fixed settings.
    private func load(_ variables: [String: String] = [:], fixing lines: String) throws -> Configuration {
        let path = home.file("policy")
        try AtomicFile.replace(path, with: Array(lines.utf8).span)
        let variables = ["HOME": home.path].merging(variables) { $1 }
        return try Configuration(environment: { variables[$0] }, accounts: accounts) { () throws(Refusal) in
            try .load(from: path, trusting: TrustedFiles(owner: CurrentProcess.user, below: home.path))
        }
    }

    @Test(
        "What the administrator has fixed holds for everybody, also for a user whose setting says the same"
    )
    func isFixed() throws {
        #expect(try load(fixing: "history-days = 7\n").historyDays == 7)
        #expect(try load(["KEYCHAIN_HISTORY_DAYS": "7"], fixing: "history-days = 7\n").historyDays == 7)
        #expect(try load(fixing: "interaction = never\nminimum-passcode = 8\n").interaction == .never)
    }

    @Test(
        "A setting of the user's that says something else is refused with the policy's file and line"
    )
    func refusesChangeOfFixed() throws {
        func refused(_ variables: [String: String] = [:]) -> Refusal? {
            failure { () throws(Refusal) in
                do { _ = try load(variables, fixing: "# x\nlogin-password = no\n") } catch let error as Refusal {
                    throw error
                } catch {}
            }
        }
        #expect(refused(["KEYCHAIN_LOGIN_PASSWORD": "yes"])?.rule == .administrator)
        try write("login-password = yes")
        #expect(refused()?.problem.contains(home.file("policy") + ":2") == true)
        try write("login-password = no")
        #expect(refused() == nil)
    }

    @Test(
        "A policy that fixes what is the user's own, what is no setting, or to nonsense, is refused by its line",
        arguments: ["home = /x", "socket = /x", "daemon = /x", "colour = red", "history-days = many"])
    func refusesNonsenseInPolicy(line: String) throws {
        let refused = failure { () throws(Refusal) in
            do { _ = try load(fixing: "\(line)\n") } catch let error as Refusal { throw error } catch {}
        }
        #expect(refused?.rule == .configuration && refused?.subject == home.file("policy") + ":1")
    }

    /// Reads an environment with this test's home.
    private func load(_ variables: [String: String] = [:]) throws(Refusal) -> Configuration {
        let variables = ["HOME": home.path].merging(variables) { $1 }
        return try Configuration(environment: { variables[$0] }, accounts: accounts)
    }

    private var accounts: String { home.file("passwd") }

    private func write(account user: UInt32, home folder: String) throws {
        let bytes = Array("root:x:0:0::/nowhere:/bin/sh\nada:x:\(user):1::\(folder):/bin/sh\n".utf8)
        try AtomicFile.replace(accounts, with: bytes.span)
    }

    private func write(_ lines: String) throws {
        try PrivateDirectory.ensure(home.file(".config/keychain"))
        let bytes = Array(lines.utf8)
        try AtomicFile.replace(home.file(".config/keychain/keychain.conf"), with: bytes.span)
    }

    @Test("Without any setting the keychain is in the user's data directory, and the daemon in the runtime directory")
    func hasDefaults() throws {
        let runtime = try TemporaryDirectory()
        let configuration = try load(["XDG_RUNTIME_DIR": runtime.path])
        #expect(configuration.folder == home.file(".local/share/keychain"))
        #expect(configuration.socket == runtime.file("keychain/keychaind.sock"))
        #expect(configuration.mode == .auto && configuration.interaction == .auto)
        #expect(configuration.daemon == nil && configuration.timeout == 60_000)
    }

    @Test("The XDG directories are where they are set to be, unless that is a relative path")
    func followsBaseDirectories() throws {
        #expect(try load(["XDG_DATA_HOME": "/data"]).folder == "/data/keychain")
        #expect(try load(["XDG_DATA_HOME": "data"]).folder == home.file(".local/share/keychain"))
        try write("timeout = 5")
        let elsewhere = home.file(".config")
        #expect(try load(["HOME": "/nowhere", "XDG_CONFIG_HOME": elsewhere]).timeout == 5)
    }

    @Test("A store of one's own has its daemon in its own folder")
    func separatesOwnStore() throws {
        let configuration = try load(["KEYCHAIN_HOME": "/own", "XDG_RUNTIME_DIR": home.path])
        #expect(configuration.folder == "/own")
        #expect(configuration.socket == "/own/keychaind.sock")
    }

    @Test("A runtime directory that does not exist is not used")
    func skipsMissingRuntimeDirectory() throws {
        let socket = try load(["XDG_RUNTIME_DIR": home.file("missing")]).socket
        #expect(!socket.hasPrefix(home.file("missing")))
    }

    @Test("The environment comes before the file, and an empty variable is none")
    func ranksSources() throws {
        try write("mode = daemon\ninteraction = tty\ntimeout = 7")
        let configuration = try load(["KEYCHAIN_MODE": "embedded", "KEYCHAIN_TIMEOUT": ""])
        #expect(configuration.mode == .embedded)
        #expect(configuration.interaction == .tty)
        #expect(configuration.timeout == 7)
    }

    @Test("The file may have comments, empty lines and blanks anywhere")
    func readsFile() throws {
        try write("# my keychain\n\n  home=/a b/c  \r\n\tsocket =/s\ndaemon= /d\n")
        let configuration = try load()
        #expect(configuration.folder == "/a b/c" && configuration.socket == "/s" && configuration.daemon == "/d")
    }

    @Test(
        "A line that makes no sense is refused by its number",
        arguments: [
            "colour = red", "mode = fast", "just words", "= /a", "home = relative", "timeout = 0", "TIMEOUT = 5",
        ])
    func refusesLine(line: String) throws {
        try write("# first\n\(line)\n")
        let refusal = failure { () throws(Refusal) in try load() }
        #expect(refusal?.status == .param && refusal?.rule == .configuration)
        #expect(refusal?.subject == home.file(".config/keychain/keychain.conf:2"))
    }

    @Test(
        "A variable that makes no sense is refused by its name, with what it takes",
        arguments: [
            ("KEYCHAIN_HOME", "here"), ("KEYCHAIN_SOCKET", "s"), ("KEYCHAIN_MODE", "AUTO"),
            ("KEYCHAIN_DAEMON", "keychaind"),
            ("KEYCHAIN_TIMEOUT", "-1"), ("KEYCHAIN_TIMEOUT", "600001"), ("KEYCHAIN_TIMEOUT", "5s"),
            ("KEYCHAIN_INTERACTION", "maybe"), ("KEYCHAIN_TPM", "/tmp/lib.so"), ("KEYCHAIN_TPM", "../lib:x"),
            ("KEYCHAIN_LOGIN_PASSWORD", "true"), ("KEYCHAIN_LOGIN_PASSWORD", "Yes"),
        ])
    func refusesVariable(name: String, value: String) throws {
        let refusal = failure { () throws(Refusal) in try load([name: value]) }
        let setting = try #require(Setting.table.first { $0.variable == name })
        #expect(refusal?.subject == name)
        #expect(refusal?.problem.contains(setting.takes) == true)
    }

    @Test("The password of the login stands in for no passcode unless that is said")
    func readsConsent() throws {
        #expect(try load().loginPassword == .no)
        #expect(try load(["KEYCHAIN_LOGIN_PASSWORD": "yes"]).loginPassword == .yes)
        try write("login-password = yes")
        #expect(try load().loginPassword == .yes)
        #expect(try load(["KEYCHAIN_LOGIN_PASSWORD": "no"]).loginPassword == .no)
    }

    @Test("Variables of others that begin alike are left alone")
    func ignoresForeignVariables() throws {
        #expect(try load(["KEYCHAIN_PASSWORD": "x", "KEYCHAIN_PATH": "y"]) == load())
    }

    @Test("A file that cannot be read is refused, one that is too large too")
    func refusesUnreadableFile() throws {
        try write(String(repeating: "# comment\n", count: 10_000))
        #expect(failure { () throws(Refusal) in try load() }?.rule == .configuration)
    }

    @Test("Without a home directory there must be a folder")
    func needsHome() throws {
        #expect(failure { () throws(Refusal) in try load(["HOME": ""]) }?.subject == "HOME")
        #expect(try load(["HOME": "", "KEYCHAIN_HOME": "/k"]).folder == "/k")
    }

    @Test("Where HOME is not set, or no path, it is the account's", arguments: ["", "relative"])
    func takesHomeOfAccount(variable: String) throws {
        try write(account: getuid() == 0 ? 1 : getuid(), home: getuid() == 0 ? "/other" : "/home/ada")
        let expected = getuid() == 0 ? "/nowhere" : "/home/ada"
        #expect(try load(["HOME": variable]).folder == expected + "/.local/share/keychain")
    }

    @Test("The root directory is nobody's home but root's")
    func refusesRootDirectory() throws {
        try write(account: 77, home: "/home/ada")
        #expect(HomeFolder.path("/", of: 77, accounts: accounts) == "/home/ada")
        #expect(HomeFolder.path("/", of: 0, accounts: accounts) == "/")
        #expect(HomeFolder.path("/", of: 78, accounts: accounts) == nil)
        try write(account: 77, home: "/")
        #expect(HomeFolder.path(nil, of: 77, accounts: accounts) == nil)
    }

    @Test("Every setting has a variable and a key of its own, and says what it takes and does")
    func tableIsComplete() {
        let table = Setting.table
        #expect(Set(table.map(\.variable)).count == table.count && Set(table.map(\.key)).count == table.count)
        for setting in table {
            #expect(setting.variable == "KEYCHAIN_" + setting.key.uppercased().replacing("-", with: "_"))
            #expect(!setting.takes.isEmpty && !setting.standard.isEmpty && setting.meaning.hasSuffix("."))
        }
    }
}
