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
        owner(session).map { [("desktop:", text($0.printable))] } ?? []
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
