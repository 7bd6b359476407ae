import CodeSignature
import KeychainModel
import LinuxSystem
import PropertyLists

/// One entitlements file that root has installed: the usual property list, and for which program it is.
///
///     keychain-executable   the absolute path of a program, or
///     keychain-script       that of a script, and
///     keychain-interpreter  that of the program that runs it
struct InstalledFile {
    enum Subject: Hashable {
        case program(String)
        case script(String, interpreter: String)
    }

    let subject: Subject
    let granted: GrantedGroups

    init(reading path: String) throws(TrustedFiles.Doubt) {
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try AtomicFile.read(path, limit: Self.longest) } catch {
            throw TrustedFiles.Doubt(description: "\(error)")
        }
        do throws(Refusal) {
            let entitlements = try Entitlements(plist: bytes)
            subject = try Self.subject(of: entitlements)
            granted = GrantedGroups(entitlements.groups, requiresAnchor: entitlements.requiresAnchor)
        } catch { throw TrustedFiles.Doubt(description: error.problem) }
        if case .script = subject, granted.requiresAnchor {
            throw TrustedFiles.Doubt(description: "a script is never anchored")
        }
    }

    private static let longest = 64 << 10

    private static func subject(of entitlements: Entitlements) throws(Refusal) -> Subject {
        let path = { (key: String) in entitlements.value(key)?.text.flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let script = path("keychain-script").flatMap { script in
            path("keychain-interpreter").map { Subject.script(script, interpreter: $0) }
        }
        let program = path("keychain-executable").map(Subject.program)
        guard let subject = script ?? program, script == nil || program == nil else {
            throw Refusal(
                .param, .malformedEntitlements, "keychain-executable",
                "It must name one program (keychain-executable), or one script with its interpreter "
                    + "(keychain-script, keychain-interpreter), by absolute paths.",
                do: "Add the key.")
        }
        return subject
    }
}
