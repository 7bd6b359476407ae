import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("status in another language") struct StatusLanguageTests {
    private static let chinese = ["LC_ALL": "zh_CN.UTF-8"]
    private typealias Change = @Sendable (inout StandInKeychain.State) -> Void

    private static let changes: [Change] = [
        { _ in },
        { $0.passcode = [1] },
        { state in
            (state.passcode, state.isLocked, state.failedAttempts, state.retryAfter) = ([1], true, 5, 60)
            state.slots = UnlockSlot.Kind.allCases.map { UnlockSlot(number: $0.rawValue, kind: $0) }
        },
        { $0.failedAttempts = 2 },
        { ($0.passcode, $0.agent, $0.settings) = ([1], AgentReport(), sleeping) },
        { ($0.passcode, $0.settings, $0.isOnTPM) = ([1], sleeping, true) },
        { ($0.passcode, $0.agent, $0.deployment) = ([1], AgentReport(), "system daemon") },
        { ($0.passcode, $0.agent, $0.deployment) = ([1], desktop, "system daemon") },
        { ($0.passcode, $0.agent, $0.settings) = ([1], desktop, sleeping) },
        { ($0.agent, $0.deployment) = (bus, "daemon of a job, in memory") },
        { ($0.age, $0.deployment) = (.olderStore, "embedded") },
        { $0.age = .olderVault },
        { $0.age = .olderKeychain },
        { $0.backups = backup(made: 0, checked: 0) },
        { $0.backups = backup(made: 1_000, checked: 0) },
        { $0.backups = backup(made: 4_000_000_000, checked: 4_000_000_000) },
        { $0.release = nil },
        { ($0.release, $0.deployment) = (Release(version: "0.4.9", since: 0), "system daemon") },
        { $0.release = Release(version: "0.4.9", since: 0) },
    ]

    private static let sleeping = DeviceSettings(locksOnSleep: true, idleSeconds: 300)

    private static var desktop: AgentReport {
        var agent = bus
        (agent.session, agent.sensor, agent.graphicalPinentry) = ("2", "Reader", "/usr/bin/pinentry-gnome3")
        agent.loginService = "login"
        return agent
    }

    private static var bus: AgentReport {
        var agent = AgentReport()
        agent.hasSystemBus = true
        return agent
    }

    private static func backup(made: Int64, checked: Int64) -> BackupDates {
        var dates = BackupDates()
        (dates.made, dates.checked, dates.shelves, dates.laterShelves) = (made, checked, 3, 2)
        return dates
    }

    /// Lines with two English words in a row that are no command, as the user types it.
    private func english(_ text: String) -> [Substring] {
        let words = text.replacing(/`[^`]*`/, with: "").split(separator: "\n")
        return words.filter { $0.contains(/[a-z]{3,},? [a-z]{2,}/) }
    }

    @Test("In Chinese no line of status stays English, whatever the state of the keychain", arguments: changes.indices)
    func states(_ index: Int) {
        var shell = Shell()
        shell.environment = Self.chinese
        let change = Self.changes[index]
        shell.keychain.update { change(&$0) }
        let text = shell.run("status").text
        #expect(text.hasPrefix("保护：") && english(text).isEmpty, "\(english(text))")
        shell.environment["KEYCHAIN_INTERACTION"] = "never"
        #expect(english(shell.run("status").text).isEmpty)
    }

    @Test("The demands of the administrator are in Chinese too, and both columns begin at one place")
    func policy() throws {
        let folder = try TemporaryDirectory()
        let text = "minimum-passcode = 8\nrequire-tpm = yes\nlock-after = 300\nlock-on-sleep = yes\nhistory-days = 7\n"
        try AtomicFile.replace(folder.file("keychain.conf"), with: Array(text.utf8).span)
        var shell = Shell()
        shell.environment = Self.chinese
        shell.policy = try .load(
            from: folder.file("keychain.conf"), trusting: TrustedFiles(owner: CurrentProcess.user, below: folder.path))
        let shown = shell.run("status").text
        #expect(english(shown).isEmpty)
        #expect(shown.contains("\n             最迟闲置 300 秒后锁定。\n             睡眠时锁定。\n"))
        #expect(shown.hasPrefix("保护：       仅软件保护\n"))
    }

    @Test("Scripts that want the form of macOS get English")
    func imitation() {
        var shell = Shell()
        shell.environment = Self.chinese.merging(["KEYCHAIN_MACOS_COMPAT": "1"]) { $1 }
        #expect(shell.run("status").text.hasPrefix("protection:  software-only\n"))
    }
}
