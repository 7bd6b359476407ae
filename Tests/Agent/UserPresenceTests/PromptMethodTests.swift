import Glibc
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

struct PromptMethodTests {
    private static let programs = PinentryPrograms(graphical: "/g", terminal: "/t")

    private static func methods(
        _ interaction: Prompt.Interaction, terminal: String = "", display: String? = nil, wayland: String? = nil,
        _ programs: PinentryPrograms = programs
    ) -> [PromptMethod] {
        var surroundings = PromptEnvironment(terminal: terminal)
        surroundings.environment["DISPLAY"] = display
        surroundings.environment["WAYLAND_DISPLAY"] = wayland
        return PromptMethod.methods(for: Prompt(interaction: interaction, surroundings: surroundings), with: programs)
    }

    @Test(
        "the best method is tried first, and there is none where the user may not or cannot be asked",
        .rule("authentication.prompt.method"))
    func choice() {
        #expect(Self.methods(.never, terminal: "/dev/pts/1", display: ":0").isEmpty)
        #expect(Self.methods(.any).isEmpty)
        #expect(Self.methods(.terminal, display: ":0").isEmpty)
        #expect(Self.methods(.any, display: ":0") == [.window("/g")])
        #expect(Self.methods(.any, wayland: "wayland-0") == [.window("/g")])
        #expect(Self.methods(.any, display: "").isEmpty)
        let all: [PromptMethod] = [.window("/g"), .terminalPinentry("/t"), .terminal]
        #expect(Self.methods(.any, terminal: "/dev/pts/1", display: ":0") == all)
        #expect(Self.methods(.terminal, terminal: "/dev/pts/1", display: ":0") == Array(all.dropFirst()))
        #expect(Self.methods(.any, terminal: "/dev/pts/1", display: ":0", PinentryPrograms()) == [.terminal])
        #expect(Self.methods(.any, display: ":0", PinentryPrograms()).isEmpty)
    }

    @Test("the pinentry that the administrator has chosen comes first, if it suits")
    func installed() throws {
        let folder = try TemporaryDirectory()
        let root = folder.path + "/"
        #expect(PinentryPrograms(installedIn: root) == PinentryPrograms())
        let content: [UInt8] = []
        for name in ["tty", "curses", "qt", "gnome3"] {
            try AtomicFile.replace(root + "pinentry-" + name, with: content.span, mode: 0o755)
        }
        let first = PinentryPrograms(graphical: root + "pinentry-gnome3", terminal: root + "pinentry-curses")
        #expect(PinentryPrograms(installedIn: root) == first)
        for (name, isGraphical) in [("tty", false), ("qt", true)] {
            unsafe unlink(root + "pinentry")
            let link = unsafe symlink(root + "pinentry-" + name, root + "pinentry")
            #expect(link == 0)
            let found = PinentryPrograms(installedIn: root)
            #expect((isGraphical ? found.graphical : found.terminal) == root + "pinentry-" + name)
            #expect(
                (isGraphical ? found.terminal : found.graphical) == (isGraphical ? first.terminal : first.graphical))
        }
        #expect(PinentryPrograms(setting: "none") == PinentryPrograms())
        #expect(PinentryPrograms(setting: "/x/y") == PinentryPrograms(graphical: "/x/y", terminal: "/x/y"))
    }

    @Test(
        "a variable that could make a pinentry load or run something does not reach it",
        arguments: [
            ("TERM", "xterm-256color", true), ("TERM", "../../tmp/x", false), ("LANG", "zh_CN.UTF-8", true),
            ("LC_ALL", "/tmp/locale", false), ("LANGUAGE", "zh_CN:en", true), ("DISPLAY", ":0.1", true),
            ("DISPLAY", "host:0", true), ("DISPLAY", "a b", false), ("XAUTHORITY", "/run/user/1/x y", true),
            ("XAUTHORITY", "relative", false), ("XDG_RUNTIME_DIR", "/run/user/1", true),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/user/1/bus", true),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:abstract=/tmp/dbus-x,guid=1", true),
            ("DBUS_SESSION_BUS_ADDRESS", "unixexec:path=/tmp/evil", false),
            ("DBUS_SESSION_BUS_ADDRESS", "unix:path=/run/bus;unixexec:path=/tmp/evil", false),
            ("LD_PRELOAD", "/tmp/evil.so", false), ("GTK_MODULES", "evil", false), ("TERM", "", false),
        ])
    func environment(_ name: String, _ value: String, _ passes: Bool) {
        let safe = SafeSurroundings.environment(PromptEnvironment(environment: [name: value]))
        #expect(safe == (passes ? [name: value] : [:]))
    }

    @Test("every variable that prompts carry has a form")
    func forms() {
        for name in PromptEnvironment.variables {
            let value = name == "DBUS_SESSION_BUS_ADDRESS" ? "unix:path=/b" : name.contains("X") ? "/x" : "x"
            #expect(SafeSurroundings.environment(PromptEnvironment(environment: [name: value])).count == 1, "\(name)")
        }
    }
}
