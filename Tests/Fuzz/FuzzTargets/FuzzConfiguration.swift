import Glibc
import LinuxSystem

@testable import KeychainClient
@testable import KeychainModel

/// Configuration files and environments are read or refused; what is believed is within its bounds, and said again in
/// the other place comes to the same.
///
///     input = count:u16 file *(value NUL)                ; values of the variables in the order of the table
func fuzzConfiguration(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let file = input.longRun()
    unsafe mkdir(configurationFolder.file("keychain"), 0o700)
    let values = input.rest().split(separator: 0, omittingEmptySubsequences: false)
    configurationFolder.put("keychain/keychain.conf", file)
    var environment: [String: String] = [:]
    for (setting, value) in zip(Setting.table, values) {
        environment[setting.variable] = String(decoding: value, as: UTF8.self)
    }
    guard let configuration = read(environment) else { return }
    check(configuration)
    // The same in the environment alone.
    configurationFolder.put("keychain/keychain.conf", [])
    require(read(said(configuration, environment)) == configuration, "what was believed, said again, is another thing")
}

private let configurationFolder = FuzzFolder("configuration")

private func read(_ environment: [String: String]) -> Configuration? {
    let standard = ["XDG_CONFIG_HOME": configurationFolder.path, "HOME": "/nowhere"]
    do throws(Refusal) {
        return try Configuration(environment: { environment[$0] ?? standard[$0] }, serviceFolder: "/nowhere/keychaind")
    } catch {
        require(error.status == .param && error.rule == .configuration, "a refusal of another kind: \(error)")
        require(!error.problem.isEmpty && !error.remedy.isEmpty, "a refusal that says nothing")
        return nil
    }
}

private func check(_ configuration: Configuration) {
    for path in [configuration.folder, configuration.socket, configuration.daemon ?? "/"] {
        require(path.hasPrefix("/"), "a path that leads from nowhere: \(path)")
    }
    require((1...600_000).contains(configuration.timeout), "a deadline without bounds")
    require(configuration.historyDays <= Configuration.longestHistory, "a history without bounds")
}

private func said(_ configuration: Configuration, _ environment: [String: String]) -> [String: String] {
    var said = [
        "KEYCHAIN_MODE": configuration.mode.rawValue, "KEYCHAIN_TIMEOUT": "\(configuration.timeout)",
        "KEYCHAIN_INTERACTION": configuration.interaction.rawValue, "KEYCHAIN_TPM": configuration.tpm,
        "KEYCHAIN_PINENTRY": configuration.pinentry, "KEYCHAIN_LOGIN_PASSWORD": configuration.loginPassword.rawValue,
        "KEYCHAIN_HISTORY_DAYS": "\(configuration.historyDays)", "KEYCHAIN_HOME": configuration.folder,
    ]
    if configuration.socketIsGiven || configuration.folder == "/nowhere/.local/share/keychain" {
        said["KEYCHAIN_HOME"] = configuration.folder == "/nowhere/.local/share/keychain" ? nil : configuration.folder
    }
    if configuration.socketIsGiven { said["KEYCHAIN_SOCKET"] = configuration.socket }
    if let daemon = configuration.daemon { said["KEYCHAIN_DAEMON"] = daemon }
    return said
}

extension FuzzSeeds {
    static func ofConfiguration() -> [[UInt8]] {
        let values = [
            "/home/a/keychain", "/run/a.sock", "embedded", "/usr/libexec/keychaind", "5000", "never",
            "/etc/ssl/cert.pem",
            "device:/dev/tpmrm0", "/usr/bin/pinentry", "yes", "0",
        ]
        var seeds: [[UInt8]] = [longEntry(Array("# nothing\n\n".utf8))]
        for (setting, value) in zip(Setting.table, values) {
            for text in [value, "", "auto", "none", "-1", "99999999999", "relative"] {
                seeds.append(longEntry(Array("  \(setting.key) = \(text)\r\n".utf8)))
            }
        }
        let all = zip(Setting.table, values).map { "\($0.key)=\($1)\n" }.joined()
        seeds.append(longEntry(Array(all.utf8)))
        seeds.append(longEntry([]) + Array(values.joined(separator: "\0").utf8))
        seeds += values.indices.map { index in
            longEntry(Array("mode = daemon\n".utf8)) + [UInt8](repeating: 0, count: index) + Array(values[index].utf8)
        }
        return seeds
    }
}
