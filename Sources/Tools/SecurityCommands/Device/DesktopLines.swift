import KeychainClient
import LinuxSystem

/// The line of `status` about the program to which programs of the desktop give their passwords. The bus is asked by
/// `keychain-secrets`, which has the library for it.
enum DesktopLines {
    private static let bridge = "keychain-secrets"
    /// Longer than a bus needs: milliseconds.
    private static let patience = 2_000
    private static let longestPath = 4_096

    /// Nothing outside of a session with a bus.
    static func lines(of session: Session) -> [(String, String)] {
        guard let owner = owner(session) else { return [] }
        let chosen = session.environment("XDG_CURRENT_DESKTOP").flatMap { DesktopOfBrowsers($0) }
        return [("desktop:", text(owner.printable))] + (chosen.map { [("chromium:", $0.text)] } ?? [])
    }

    static func json(_ session: Session) -> JSONValue {
        guard let owner = owner(session), !owner.isEmpty else { return .null }
        return .string(owner)
    }

    private static func text(_ owner: String) -> String {
        guard let name = owner.split(separator: "/").last else {
            return "no program keeps passwords for programs of the desktop at this moment"
        }
        let fact = "\(owner) keeps passwords for programs of the desktop"
        return name == bridge ? "\(fact), in this keychain" : "\(fact); `security setup desktop` changes that"
    }

    /// The executable; empty where no program does it, nil where that is not known.
    private static func owner(_ session: Session) -> String? {
        guard let address = session.environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty,
            let program = InstalledPrograms.find(bridge)
        else { return nil }
        let answer = try? ChildProcess.answer(
            of: program, ["--owner", "--bus", address], to: SecretBytes(count: 0), atMost: longestPath,
            deadline: .after(milliseconds: patience))
        guard let (line, code) = answer, code == 0 else { return nil }
        return line.withSpan { String(decoding: $0.array(0, max(0, $0.count - 1)), as: UTF8.self) }
    }
}

/// The place where Chromium, and programs built on it, keep the key of their passwords and cookies in a desktop, when
/// no option says otherwise (`components/os_crypt`, `key_storage_util_linux.cc`).
private enum DesktopOfBrowsers {
    case asksSecretService
    case asksKWallet
    case isUnknown

    /// The desktops in which it asks the Secret Service, as they call themselves.
    private static let ofSecretService: Set = [
        "Budgie", "Cinnamon", "Deepin", "GNOME", "MATE", "Pantheon", "UKUI", "Unity", "X-Cinnamon", "XFCE",
    ]

    /// - Parameter names: of the desktop (`XDG_CURRENT_DESKTOP`), with colons in between; nil for none.
    init?(_ names: String) {
        let names = names.split(separator: ":").map(String.init)
        if names.isEmpty { return nil }
        if names.contains("KDE") {
            self = .asksKWallet
        } else {
            self = names.contains { Self.ofSecretService.contains($0) } ? .asksSecretService : .isUnknown
        }
    }

    private static let option = "the option --password-store=gnome-libsecret changes that for new profiles"

    var text: String {
        switch self {
        case .asksSecretService: "keeps its key with that program"
        case .asksKWallet: "keeps its key in KWallet; \(Self.option)"
        case .isUnknown: "may keep its key as a constant in this desktop; \(Self.option)"
        }
    }
}
