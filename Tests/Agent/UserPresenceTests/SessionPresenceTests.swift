import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

@Suite("A session agent asks on its own session's display, for what is typed")
struct SessionPresenceTests {
    private let folder: TemporaryDirectory
    private let pinentry: String

    /// A pinentry that writes its environment down and gives a passcode.
    init() throws {
        folder = try TemporaryDirectory()
        pinentry = folder.path + "/pinentry-qt"
        let script = """
            #!/bin/sh
            env >'\(folder.path)/environment'
            echo OK
            while read -r command rest; do
                [ "$command" != GETPIN ] || echo 'D 1234567'
                echo OK
            done
            """
        try AtomicFile.replace(pinentry, with: Array(script.utf8).span, mode: 0o755)
    }

    private func presence(_ environment: [String: String] = ["DISPLAY": ":7"], isLocked: Bool = false)
        -> SessionPresence
    {
        SessionPresence(
            programs: PinentryPrograms(graphical: pinentry, terminal: pinentry), environment: environment,
            isLocked: { isLocked })
    }

    private func ask(
        _ presence: SessionPresence, _ kind: UserQuestion.Kind = .passcode, _ surroundings: PromptEnvironment = .init()
    ) throws -> String {
        let context = AuthenticationContext(identifier: Array(0..<16), caller: Array(16..<48))
        let question = UserQuestion(kind, context, Prompt(surroundings: surroundings))
        let answer = presence.ask(question, by: soon, until: try Withdrawal())
        guard case .secret(let secret) = answer else { return "\(answer)" }
        return secret.withSpan { span in String(decoding: span.indices.map { span[$0] }, as: UTF8.self) }
    }

    private var environment: [String]? {
        guard let bytes = try? AtomicFile.read(folder.path + "/environment", limit: 1 << 16) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test("The display is the session's, whatever the asking program says")
    func display() throws {
        let theirs = PromptEnvironment(
            terminal: "/dev/pts/1",
            environment: ["DISPLAY": "evil:0", "WAYLAND_DISPLAY": "evil", "LANG": "evil", "XAUTHORITY": "/evil"])
        #expect(try ask(presence(), .passcode, theirs) == "1234567")
        let found = try #require(environment)
        #expect(found.contains("DISPLAY=:7") && !found.contains { $0.contains("evil") })
    }

    @Test("No variable that loads or runs something reaches the pinentry")
    func variables() throws {
        let hostile = ["LD_PRELOAD": "/evil.so", "PATH": "/evil", "GTK_MODULES": "evil", "XAUTHORITY": "evil"]
        let variables = ["DISPLAY": ":7", "LANG": "/evil/../x"].merging(hostile) { first, _ in first }
        #expect(try ask(presence(variables)) == "1234567")
        #expect(try #require(environment).allSatisfy { !$0.contains("evil") })
    }

    @Test(
        "Fingers, logins, new passwords, digits and codes are nothing for it",
        arguments: [
            UserQuestion.Kind.finger, .loginPassword, .newApplicationPassword, .shownDigits, .digits, .shownCode, .code,
        ])
    func others(_ kind: UserQuestion.Kind) throws {
        #expect(try ask(presence(), kind) == "unreachable")
        #expect(environment == nil && presence().biometry() == .none)
    }

    @Test("A change of the circle of machines is nothing for it")
    func circle() throws {
        let context = AuthenticationContext(identifier: Array(0..<16), caller: Array(16..<48))
        var question = UserQuestion(.passcode, context, Prompt())
        question.change = UserQuestion.Change(.addsMachine, name: "mallory")
        #expect("\(presence().ask(question, by: soon, until: try Withdrawal()))" == "unreachable")
        #expect(environment == nil)
    }

    @Test("Nobody is asked in a locked session, and without a display")
    func nobody() throws {
        #expect(try ask(presence(isLocked: true)) == "unreachable")
        let here = PromptEnvironment(terminal: "/dev/pts/1", environment: ["DISPLAY": ":7"])
        #expect(try ask(presence([:]), .passcode, here) == "unreachable")
        #expect(environment == nil)
    }

    @Test("It reports its pinentry where it has a display, and nothing else")
    func reports() {
        var report = AgentReport()
        #expect(presence([:]).report() == report && !presence([:]).hasDisplay)
        report.graphicalPinentry = pinentry
        #expect(presence().report() == report && presence().hasDisplay)
    }

    @Test("The pinentry that has another program show its window is never chosen")
    func choice() throws {
        let content: [UInt8] = []
        try AtomicFile.replace(folder.path + "/pinentry-gnome3", with: content.span, mode: 0o755)
        #expect(PinentryPrograms.ofDisplays(in: folder.path + "/").graphical == pinentry)
        _ = unsafe unlink(pinentry)
        #expect(PinentryPrograms.ofDisplays(in: folder.path + "/").graphical == nil)
    }

    @Test("One that the administrator has chosen may be in another folder")
    func chosen() throws {
        let other = try TemporaryDirectory()
        #expect(unsafe symlink(pinentry, other.path + "/pinentry") == 0)
        let resolved = try #require(SymbolicLink.resolve(pinentry))
        #expect(PinentryPrograms.ofDisplays(in: other.path + "/").graphical == resolved)
        _ = unsafe rename(pinentry, folder.path + "/pinentry-gnome3")
        _ = unsafe unlink(other.path + "/pinentry")
        #expect(unsafe symlink(folder.path + "/pinentry-gnome3", other.path + "/pinentry") == 0)
        #expect(PinentryPrograms.ofDisplays(in: other.path + "/").graphical == nil)
    }

    @Test("It is not chosen under the name of another one either")
    func alternative() throws {
        let content: [UInt8] = []
        let (real, other) = (folder.path + "/pinentry-gnome3", folder.path + "/pinentry-x11")
        try AtomicFile.replace(real, with: content.span, mode: 0o755)
        _ = unsafe unlink(pinentry)
        #expect(unsafe symlink(real, other) == 0)
        #expect(PinentryPrograms(installedIn: folder.path + "/").graphical == real)
        #expect(PinentryPrograms.ofDisplays(in: folder.path + "/").graphical == nil)
        #expect(unsafe symlink(other, folder.path + "/pinentry") == 0)
        #expect(PinentryPrograms.ofDisplays(in: folder.path + "/").graphical == nil)
    }
}
