import CertificateWire
import CommandOptions
import KeychainModel
import LinuxSystem

/// `trust-settings-export` and `trust-settings-import`: the user's settings as a file of Apple's format.
enum TrustSettingsCommands {
    static let export = Command(
        "trust-settings-export", "Export trust settings.", synopsis: "[-d] [-s] settings_file",
        options: [
            CommandOption("d", "Those for all users; there are none here."),
            CommandOption("s", "The system's; there are none here."),
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        let call = "SecTrustSettingsCreateExternalRepresentation"
        guard !arguments.has("d"), !arguments.has("s") else { throw noSettings(call) }
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let settings = try UserTrustSettings(session, call).all()
            guard !settings.isEmpty else { throw noSettings(call) }
            try OutputOfFile(arguments.operands[0].text, session).save(try file(of: settings, call))
        }
    }

    private static func file(of settings: [TrustSetting], _ call: String) throws(CommandFailure) -> SecretBytes {
        let decided = settings.map { setting in
            (certificate: setting.certificate, decisions: setting.decisions.map { PolicyDecision($0, $1) })
        }
        let date = CalendarDate(secondsSinceReferenceDate: Clock.secondsSinceReferenceDate).iso8601
        // Apple's dates have no fraction.
        return try CertificateProgram.perform(WriteTrustSettings(decided, date: date.prefix(19) + "Z"), call).file
    }

    private static func noSettings(_ call: String) -> CommandFailure {
        .failed("\(call): No Trust Settings were found.", remedy: "`security add-trusted-cert` makes one.")
    }

    static let `import` = Command(
        "trust-settings-import", "Import trust settings.", synopsis: "[-d] settings_file",
        options: [CommandOption("d", "For all users; not here.")],
        notes: [
            """
            The file has no certificates: each must be in the keychain or in the settings already. A setting replaces \
            what was said about its certificate. One for another policy than basic and codeSign is left out and named.
            """
        ],
        operands: 1...1
    ) { arguments, session throws(CommandFailure) in
        let call = "SecTrustSettingsImportExternalRepresentation"
        guard !arguments.has("d") else { throw TrustCommands.forAllUsers("trust-settings-import") }
        let file = try read(arguments.operands[0])
        let entries = try CertificateProgram.perform(ReadTrustSettings(file), call).entries
        try UnlockOffer(session).run { () throws(CommandFailure) in
            try TrustSettingsImport(session, call).store(entries: entries)
        }
    }

    private static func read(_ path: Argument) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            return try AtomicFile.readSecret(path.text, limit: CertificateLimits.fileBytes)
        } catch {
            throw .failed(
                "\(path.text.printable): \(error)", cause: "The file cannot be read, and nothing was imported.",
                remedy: "Name a file that exists and that you may read.")
        }
    }
}

/// The import of settings, whose certificates are found by their digests.
private struct TrustSettingsImport {
    let session: Session
    let call: String

    init(_ session: Session, _ call: String) { (self.session, self.call) = (session, call) }

    /// Stores what counts here of each entry, and says what does not. Nothing is stored when a certificate is missing.
    func store(entries: [ReadTrustSettings.Entry]) throws(CommandFailure) {
        let settings = UserTrustSettings(session, call)
        let known = try certificates(settings)
        let missing = entries.filter { known[$0.certificate] == nil }
        guard missing.isEmpty else { throw unknown(missing) }
        var stored = 0
        for entry in entries {
            guard let (certificate, facts) = known[entry.certificate] else { continue }
            let decisions = entry.decisions.filter { one in counts(one, facts) }
            if entry.hasOthers || decisions.count < entry.decisions.count { say(leftOut: facts) }
            guard !decisions.isEmpty else { continue }
            try settings.set(TrustSetting(certificate, decisions.map { ($0.policy, $0.decision) }), facts)
            stored += 1
        }
        report(stored)
    }

    /// Whether `add-trusted-cert` would take the decision.
    private func counts(_ one: PolicyDecision, _ facts: CertificateFacts) -> Bool {
        UserTrustSettings.policies.contains(one.policy) && (one.decision != .trustRoot || facts.isSelfIssued)
    }

    private func certificates(
        _ settings: UserTrustSettings
    ) throws(CommandFailure) -> [[UInt8]: ([UInt8], CertificateFacts)] {
        let stored = StoredCertificates(session: session, call: call, keychains: [])
        let all = try settings.all().map(\.certificate) + stored.all().map(\.certificate)
        let facts = try stored.facts(all)
        return Dictionary(zip(all, facts).map { ($1.sha1, ($0, $1)) }, uniquingKeysWith: { first, _ in first })
    }

    private func unknown(_ entries: [ReadTrustSettings.Entry]) -> CommandFailure {
        let names = entries.prefix(3).map(\.certificate.upperHex).joined(separator: ", ")
        return .failed(
            "\(call): \(entries.count) of the certificates are not in the keychain.",
            cause: "SHA-1 \(names)\(entries.count > 3 ? ", …" : ""). Nothing was imported.",
            remedy: "Import them first, with `security import` or `security add-certificates`.")
    }

    private func say(leftOut facts: CertificateFacts) {
        guard !session.isQuiet, !session.writesJSON else { return }
        session.diagnostics.write(
            "\(facts.summary.printable): settings for other policies than basic and codeSign are left out\n")
    }

    private func report(_ count: Int) {
        if session.writesJSON { return session.output.write(.object([("imported", .number(Int64(count)))])) }
    }
}
