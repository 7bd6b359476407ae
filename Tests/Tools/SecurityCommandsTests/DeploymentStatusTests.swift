import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("status tells the truth in each deployment, and which releases there are") struct DeploymentStatusTests {
    private let shell = Shell()

    private static var desktop: AgentReport {
        var agent = AgentReport()
        (agent.hasSystemBus, agent.session, agent.sensor) = (true, "2", "Reader")
        (agent.graphicalPinentry, agent.loginService) = ("/usr/bin/pinentry-gnome3", "login")
        return agent
    }

    private func status(
        _ deployment: String, _ agent: AgentReport?, _ settings: DeviceSettings = DeviceSettings()
    ) -> String {
        shell.keychain.update { state in
            (state.deployment, state.agent, state.settings, state.passcode) = (deployment, agent, settings, [1])
        }
        return shell.run("status").text
    }

    @Test("A user's daemon in a session locks with it, and asks on its display")
    func desktop() {
        let text = status("user daemon", Self.desktop, DeviceSettings(locksOnSleep: true, idleSeconds: 300))
        #expect(
            text.contains(
                "locks:       when it is told to, with the session, on sleep, after 300 s without use\ndeployment:"))
        #expect(
            text.contains("asks:        on the program's display, or on the terminal of the program that needs it\n"))
        #expect(text.contains("session:     2, by logind\n"))
    }

    @Test("The system service asks on the display that a session agent has registered")
    func serviceWithDisplay() {
        let text = status("system daemon", Self.desktop)
        #expect(
            text.contains(
                "asks:        on the display of your session, or on the terminal of the program that needs it\n"))
    }

    @Test("The system service says that no display is registered, and which session it watches")
    func service() {
        var agent = Self.desktop
        (agent.session, agent.graphicalPinentry) = ("", "")
        let text = status("system daemon", agent, DeviceSettings(locksOnSleep: true))
        #expect(
            text.contains(
                """
                locks:       when it is told to, on sleep
                             Not with the session: there is no logind, or no session.

                """))
        #expect(
            text.contains(
                """
                asks:        on the terminal of the program that needs it; no session has registered a display
                session:     not watched: no logind, or no session
                fingerprint: Reader, only if polkit gives the system service users' fingers
                pinentry:    none; the terminal is asked itself
                login:       never a passcode: the system service checks no user's password

                """))
        #expect(!text.contains("with the session,"))
        agent.session = "/org/freedesktop/login1/session/_32"
        #expect(status("system daemon", agent).contains("locks:       when it is told to, with the session\n"))
    }

    @Test("What is set and cannot be noticed is not promised")
    func deaf() {
        let text = status("user daemon", AgentReport(), DeviceSettings(locksOnSleep: true))
        #expect(
            text.contains(
                """
                locks:       when it is told to
                             Not with the session: there is no system bus.
                             Not on sleep, although it is set: there is no system bus.

                """))
        #expect(status("user daemon", nil).contains("keychain-agent, which would watch it, does not run"))
    }

    @Test("status --json names what locks and where can be asked")
    func json() {
        _ = status("user daemon", Self.desktop, DeviceSettings(locksOnSleep: true, idleSeconds: 5))
        #expect(
            shell.run("status", "--json").text.contains(
                #""locks":["command","session","sleep","idle"],"asks":["terminal","display"],"#))
    }

    @Test("A daemon of another release is shown with the command's own, and when it goes")
    func otherRelease() {
        shell.keychain.update { $0.release = Release(version: "0.4.9", since: 0) }
        let text = status("user daemon", nil)
        #expect(text.contains("security 0.5.0, keychaind 0.4.9, running since 1970-01-01T00:00:00.000Z\n"))
        #expect(text.contains("The command and the daemon are of different releases.\n"))
        #expect(text.contains("ends when nobody has been connected for five minutes"))
        #expect(status("system daemon", nil).contains("the others with their services"))
    }

    @Test("A daemon that does not know the question is an old one")
    func oldDaemon() {
        shell.keychain.update { $0.release = nil }
        #expect(status("user daemon", nil).contains("keychaind of a release before 0.5.0\n"))
        #expect(
            shell.run("status", "--json").text.contains(
                #"{"version":"0.5.0","daemon":{"version":null,"since":null},"#))
    }

    @Test("--version shows both releases, and starts no daemon", arguments: ["-V", "--version"])
    func version(option: String) {
        let own = "security 0.5.0 (protocol 1)\n"
        #expect(
            shell.run(option) == .init(0, own + "keychaind 0.5.0, running since 2027-01-15T08:00:00.000Z\n"))
        var idle = shell
        idle.runs = false
        #expect(idle.run(option) == .init(0, own + "keychaind does not run\n"))
        #expect(idle.run("--json", option) == .init(0, #"{"version":"0.5.0","daemon":null}"# + "\n"))
        shell.keychain.update { $0.release = Release(version: "0.4.9", since: 0) }
        #expect(shell.run(option).text.hasSuffix("\nThe command and the daemon are of different releases.\n"))
        #expect(shell.keychain.update { $0.devices } == [.release, .release])
    }

    @Test("What the administrator demands is shown, with the file that says so")
    func policy() throws {
        let folder = try TemporaryDirectory()
        let text = "minimum-passcode = 8\nrequire-tpm = yes\nlock-after = 300\nlock-on-sleep = yes\nhistory-days = 7\n"
        try AtomicFile.replace(folder.file("keychain.conf"), with: Array(text.utf8).span)
        var shell = Shell()
        shell.policy = try .load(
            from: folder.file("keychain.conf"), trusting: TrustedFiles(owner: CurrentProcess.user, below: folder.path))
        #expect(
            shell.run("status").text.contains(
                """
                policy:      \(folder.file("keychain.conf"))
                             A password has 8 characters at least, and is not removed.
                             New keychains rest on the TPM, and none is moved off it.
                             Locks after 300 s without use at the latest.
                             Locks on sleep.
                             history-days = 7

                """))
        #expect(
            shell.run("status", "--json").text.contains(
                #""minimumPasscode":8,"requiresTPM":true,"lockAfter":300,"lockOnSleep":true,"#
                    + #""fixed":{"history-days":"7"}}"#
            ))
    }
}
