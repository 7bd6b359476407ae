import CertificateWire
import CommandOptions
import KeychainModel
import LinuxSystem

/// `add-trusted-cert`, `remove-trusted-cert` and `dump-trust-settings`: what the user says about certificates.
enum TrustCommands {
    private static let decisions: [String: TrustDecision] = [
        "trustRoot": .trustRoot, "trustAsRoot": .trustAsRoot, "deny": .deny, "unspecified": .unspecified,
    ]

    static let add = Command(
        "add-trusted-cert", "Add a trusted certificate.",
        synopsis: "[-r resultType] -p policy [-p policy] [-k keychain] certFile",
        options: [
            CommandOption("d", "For all users; not here."),
            CommandOption(
                "r", value: "resultType", "trustRoot (unless one is given), trustAsRoot, deny or unspecified."),
            CommandOption("p", value: "policy", "basic or codeSign; may be given more than once."),
            CommandOption("k", value: "keychain", "Also add the certificate to this keychain."),
        ],
        notes: [
            """
            A setting counts in this command's own evaluations alone, and for basic and codeSign alone, since any \
            program of the user can call this command. Roots for TLS and for all users belong to the system: \
            /usr/local/share/ca-certificates and update-ca-certificates(8).
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in try addSetting(arguments, session) }

    private static func addSetting(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        let call = "SecTrustSettingsSetTrustSettings"
        guard !arguments.has("d") else { throw forAllUsers("add-trusted-cert") }
        if let name = arguments.value("k") { try session.turn(to: name, call) }
        let certificate = try onlyCertificate(arguments, session)
        let name = arguments.value("r")?.text ?? "trustRoot"
        guard let decision = decisions[name] else { throw .usage("\"\(name)\" is no result") }
        let policies = try policies(arguments)
        let stored = StoredCertificates(session: session, call: call)
        guard let facts = try stored.facts([certificate]).first else { throw .shown }
        guard decision != .trustRoot || facts.isSelfIssued else {
            throw .failed(
                "\(call): One or more parameters passed to a function were not valid.",
                cause: "The certificate is not a root: another one has signed it.", remedy: "Use -r trustAsRoot.")
        }
        let setting = TrustSetting(certificate, policies.map { ($0, decision) })
        try UnlockOffer(session).run { () throws(CommandFailure) in
            if arguments.has("k") { try keep(certificate, session, call) }
            try UserTrustSettings(session, call).set(setting, facts)
        }
    }

    /// A setting without a policy would be about all, TLS among them.
    private static func policies(_ arguments: ParsedArguments) throws(CommandFailure) -> [CertificatePolicy] {
        var policies: [CertificatePolicy] = []
        for name in arguments.values(of: "p").map(\.text) {
            guard let policy = TrustPolicies.row(ofCertificate: name)?.policy else {
                throw .usage("there is no policy \"\(name)\"")
            }
            guard UserTrustSettings.policies.contains(policy) else { throw onlyForSome }
            policies.append(policy)
        }
        guard !policies.isEmpty else { throw onlyForSome }
        return policies
    }

    private static let onlyForSome = CommandFailure.failed(
        "add-trusted-cert: a user's setting is about basic and codeSign alone",
        cause: "Any program of the user could have this command trust a root for TLS.",
        remedy: "Give -p basic or -p codeSign. For TLS use update-ca-certificates(8).")

    static func forAllUsers(_ command: String) -> CommandFailure {
        .failed(
            "\(command): settings for all users are the system's",
            remedy: "Put the certificate into /usr/local/share/ca-certificates and run update-ca-certificates(8).")
    }

    private static func keep(
        _ certificate: [UInt8], _ session: Session, _ call: String
    ) throws(CommandFailure) {
        let items = try CertificateProgram.perform(
            ReadFile(file: SecretBytes(copying: certificate.span), passphrase: nil), call
        ).items
        do throws(CommandFailure) { _ = try ItemAddition(items: items, session: session, call: call).run() } catch {
            guard error.isStatus(.duplicateItem) else { throw error }
        }
    }

    private static func onlyCertificate(
        _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) -> [UInt8] {
        guard let file = arguments.operands.first else {
            if !session.writesJSON { session.diagnostics.write("No cert file specified.\n") }
            throw .usage(session.writesJSON ? "No cert file specified." : nil)
        }
        guard arguments.operands.count == 1 else { throw .usage(nil) }
        let certificates = try CertificateFile(file, session).certificates()
        guard let certificate = certificates.first, certificates.count == 1 else {
            throw .failed("\(file.text): not exactly one certificate", remedy: "Give a file with one certificate.")
        }
        return certificate
    }

    static let remove = Command(
        "remove-trusted-cert", "Remove a trusted certificate.", synopsis: "certFile",
        options: [CommandOption("d", "For all users; not here.")], operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        let call = "SecTrustSettingsRemoveTrustSettings"
        guard !arguments.has("d") else { throw forAllUsers("remove-trusted-cert") }
        let certificate = try onlyCertificate(arguments, session)
        try UnlockOffer(session).run { () throws(CommandFailure) in
            guard try UserTrustSettings(session, call).remove(certificate) else {
                throw CommandFailure.refused(call: call, .nothingFound).withStatusOne
            }
        }
    }
}

/// The list of settings.
extension TrustCommands {
    static let dump = Command(
        "dump-trust-settings", "Display contents of trust settings.", synopsis: "[-d] [-s]",
        options: [
            CommandOption("d", "For all users; there are none here."),
            CommandOption("s", "The system's; there are none here."),
        ]
    ) { arguments, session throws(CommandFailure) in
        let call = "SecTrustSettingsCopyCertificates"
        guard !arguments.has("d"), !arguments.has("s") else { throw noSettings }
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let settings = try UserTrustSettings(session, call).all()
            guard !settings.isEmpty else { throw noSettings }
            let facts = try StoredCertificates(session: session, call: call).facts(settings.map(\.certificate))
            show(zip(settings, facts).map { ($0, $1.summary) }, session)
        }
    }

    private static let noSettings = CommandFailure.failed(
        "SecTrustSettingsCopyCertificates: No Trust Settings were found.",
        remedy: "`security add-trusted-cert` makes one.")

    private static func show(_ settings: [(setting: TrustSetting, label: String)], _ session: Session) {
        if session.writesJSON { return session.output.write(.array(settings.map(json))) }
        session.output.write("Number of trusted certs = \(settings.count)\n")
        for (index, (setting, label)) in settings.enumerated() {
            session.output.write("Cert \(index): \(label.printable)\n")
            session.output.write("   Number of trust settings : \(setting.decisions.count)\n")
            for (place, (policy, decision)) in setting.decisions.enumerated() {
                session.output.write("   Trust Setting \(place):\n")
                session.output.write("      Policy OID            : \(TrustPolicies.row(policy).title)\n")
                session.output.write("      Result Type           : \(resultName(decision))\n")
            }
        }
    }

    private static func resultName(_ decision: TrustDecision) -> String {
        switch decision {
        case .trustRoot: "kSecTrustSettingsResultTrustRoot"
        case .trustAsRoot: "kSecTrustSettingsResultTrustAsRoot"
        case .deny: "kSecTrustSettingsResultDeny"
        case .unspecified: "kSecTrustSettingsResultUnspecified"
        }
    }

    private static func json(_ entry: (setting: TrustSetting, label: String)) -> JSONValue {
        .object([
            ("name", .string(entry.label)),
            ("certificate", .bytes(SecretBytes(copying: entry.setting.certificate.span))),
            (
                "settings",
                .array(
                    entry.setting.decisions.map { policy, decision in
                        .object([
                            ("policy", .string(TrustPolicies.row(policy).title)),
                            ("result", .string(resultName(decision))),
                        ])
                    })
            ),
        ])
    }
}
