import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The names of keychains on a command line: those of the user's named keychains, and what scripts written for macOS
/// call the one that there always is.
struct KeychainName {
    /// The file with the items, in the folder that the daemon names.
    static func storePath(_ status: DeviceStatus) -> String { status.location + fileName }

    private static let fileName = "/keychain.db"

    /// The keychain that a name means.
    ///
    /// - Throws: `errSecNoSuchKeychain` when there is none, `errSecInvalidKeychain` for another file.
    static func find(_ name: String, _ call: String, _ session: Session) throws(CommandFailure) -> ChosenKeychain {
        if isUsual(name) { return .login }
        let refusal: Refusal
        do throws(Refusal) {
            guard let named = session.named, !session.isForSystem else { throw noSuchKeychain(name) }
            return try named.find(name)
        } catch { refusal = error }
        guard name.contains("/"), try isStore(name, call, session) else { throw .refused(call: call, refusal) }
        return .login
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

    /// Whether it is certainly no store: there is no such file, or it is too small. A file that cannot be looked at may
    /// be the system service's.
    private static func isMissing(_ path: String) -> Bool {
        if path.hasSuffix(fileName) { return false }
        do throws(SystemError) {
            guard let status = try FileStatus(at: path) else { return true }
            return !status.isRegularFile || status.size < storeHead
        } catch { return false }
    }

    /// Every store is longer than its first page.
    private static let storeHead = 4096

    private static func noSuchKeychain(_ name: String) -> Refusal {
        Refusal(
            .noSuchKeychain, .noSuchKeychain, name, "There is one keychain, and \"\(name)\" is not its name.",
            do: "Leave the name out, or use login.keychain.")
    }
}
