import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// The names of keychains on a command line. There is one keychain; scripts written for macOS call it by these names.
struct KeychainName {
    /// The file with the items, in the folder that the daemon names.
    static func storePath(_ status: DeviceStatus) -> String { status.location + fileName }

    private static let fileName = "/keychain.db"

    /// Checks that each name means the one keychain there is.
    ///
    /// - Throws: `errSecNoSuchKeychain` for the first that does not.
    static func check(_ names: [Argument], _ call: String, _ session: Session) throws(CommandFailure) {
        for name in names.map(\.text) where !isUsual(name) {
            guard name.contains("/"), try isStore(name, call, session) else {
                throw .refused(call: call, noSuchKeychain(name))
            }
        }
    }

    private static func isUsual(_ name: String) -> Bool {
        let usual = ["login.keychain", "login.keychain-db"]
        return usual.contains(name) || usual.contains { name.hasSuffix("/Library/Keychains/\($0)") }
    }

    private static func isStore(_ path: String, _ call: String, _ session: Session) throws(CommandFailure) -> Bool {
        // To ask where the store is makes one where there is none.
        if isMissing(path) { return false }
        let store = storePath(try session.status(call))
        if path == store { return true }
        guard let named = try? FileStatus(at: path), let real = try? FileStatus(at: store) else { return false }
        return named.isSameFile(as: real)
    }

    /// Whether there is certainly no such file and it would not be called as the store is: what cannot be looked at
    /// may be the system service's.
    private static func isMissing(_ path: String) -> Bool {
        if path.hasSuffix(fileName) { return false }
        do throws(SystemError) { return try FileStatus(at: path) == nil } catch { return false }
    }

    private static func noSuchKeychain(_ name: String) -> Refusal {
        Refusal(
            KeychainStatus(rawValue: -25294), Refusal.Rule(rawValue: "command.no-such-keychain"), name,
            "There is one keychain, and \"\(name)\" is not its name.",
            do: "Leave the name out, or use login.keychain.")
    }
}
