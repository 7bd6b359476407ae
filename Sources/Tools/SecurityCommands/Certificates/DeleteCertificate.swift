import CertificateWire
import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `delete-certificate` and `delete-identity`: one certificate, which the options name without doubt.
struct DeleteCertificate {
    private let arguments: ParsedArguments
    private let session: Session
    private let stored: StoredCertificates
    private let call: String

    static let certificate = command("delete-certificate", "Delete a certificate from a keychain.", withKey: false)
    static let identity = command("delete-identity", "Delete an identity from a keychain.", withKey: true)

    private static func command(_ name: String, _ summary: String, withKey: Bool) -> Command {
        Command(
            name, summary, synopsis: "[-c name] [-Z hash] [-t] [keychain...]",
            options: [
                CommandOption("c", value: "name", "The common name, or a part of it."),
                CommandOption("Z", value: "hash", "The SHA-256 or SHA-1 of the certificate, in hexadecimal."),
                CommandOption("t", "Also remove the user's trust settings of the certificate."),
            ],
            notes: withKey ? ["A certificate without a private key is deleted too."] : [], operands: 0...Int.max
        ) { arguments, session throws(CommandFailure) in
            guard arguments.has("c") || arguments.has("Z") else { throw .usage(nil) }
            try UnlockOffer(session).run { () throws(CommandFailure) in
                let call = "SecKeychainItemDelete"
                let stored = StoredCertificates(session: session, call: call, keychains: arguments.operands)
                let delete = DeleteCertificate(arguments: arguments, session: session, stored: stored, call: call)
                try delete.run(withKey: withKey)
            }
        }
    }

    private func run(withKey: Bool) throws(CommandFailure) {
        let found = try one()
        if withKey, let key = try stored.privateKey(of: found, ["r_PersistentRef"]) { try stored.delete(key) }
        try stored.delete(found.stored)
        if arguments.has("t") { _ = try UserTrustSettings(stored.session, call).remove(found.certificate) }
    }

    private func one() throws(CommandFailure) -> StoredCertificates.Found {
        let all = try stored.all()
        let facts = try stored.facts(all.map(\.certificate))
        let matching = all.indices.filter { matches(facts[$0]) }
        guard matching.count < 2 else { throw ambiguous() }
        guard let index = matching.first else { throw unable("No certificate of the keychain has it.") }
        return all[index]
    }

    private var wanted: String { arguments.value("c")?.text ?? arguments.value("Z")?.text ?? "" }

    private func matches(_ facts: CertificateFacts) -> Bool {
        if let name = arguments.value("c")?.text, !facts.commonName.lowercased().contains(name.lowercased()) {
            return false
        }
        guard let hash = arguments.value("Z")?.text.uppercased() else { return true }
        return [facts.sha1.upperHex, facts.sha256.upperHex].contains(hash)
    }

    private func ambiguous() -> CommandFailure {
        if !session.writesJSON {
            session.complain("\(wanted.quoted) is ambiguous, matches more than one certificate")
        }
        return unable("Several certificates have it.")
    }

    /// macOS's command writes this without a name before it and without a line end.
    private func unable(_ cause: String) -> CommandFailure {
        let problem = "Unable to delete certificate matching \(wanted.quoted)"
        let remedy = "Name one by -Z; `security find-certificate -a -Z` shows all."
        if session.writesJSON { return .failed(problem, cause: cause, remedy: remedy) }
        session.output.flush()
        session.diagnostics.write(session.imitatesMacOS ? problem : problem + "\n")
        session.giveReasons(cause, remedy)
        return .shown
    }
}
