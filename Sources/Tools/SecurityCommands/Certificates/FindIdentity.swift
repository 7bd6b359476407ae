import CertificateWire
import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `find-identity`: the certificates whose private key is in the keychain, and which of them are valid.
struct FindIdentity {
    private static let call = "SecIdentitySearchCopyNext"
    private let session: Session
    private let stored: StoredCertificates
    private let subject: String?
    private let showsValidOnly: Bool

    static let command = Command(
        "find-identity", "Find an identity (certificate and private key).",
        synopsis: "[-p policy] [-s string] [-v] [keychain...]",
        options: [
            CommandOption("p", value: "policy", "Evaluate for this policy; may be given more than once."),
            CommandOption("s", value: "string", "The host, or for smime the address, that must be named."),
            CommandOption("v", "Show valid identities alone."),
        ],
        notes: [
            """
            Policies: basic (unless one is given), ssl-client, ssl-server, smime, eap, ipsec, ichat, codesigning, \
            appleID, macappstore. Valid is what leads to a root of the system or to one of add-trusted-cert. Apple's \
            roots are not among the system's: trust them before an identity that Apple has signed is valid.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        var rows: [TrustPolicies.Row] = []
        for name in arguments.values(of: "p").map(\.text) {
            // The system's own policies are what TLS of a server and Kerberos demand.
            let usual = ["sys-default": "basic", "sys-kerberos-kdc": "ssl-server"][name] ?? name
            guard let row = TrustPolicies.row(usual) else { throw .usage("there is no policy \"\(name)\"") }
            rows.append(row)
        }
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let stored = StoredCertificates(session: session, call: call, keychains: arguments.operands)
            let find = FindIdentity(
                session: session, stored: stored, subject: arguments.value("s")?.text,
                showsValidOnly: arguments.has("v"))
            for row in rows.isEmpty ? [TrustPolicies.rows[0]] : rows { try find.run(row) }
        }
    }

    private typealias Line = (name: String, hash: String, error: String)

    private func run(_ row: TrustPolicies.Row) throws(CommandFailure) {
        let identities = try stored.identities()
        let facts = try stored.facts(identities.map(\.certificate))
        let outcomes = try evaluate(identities, row)
        let lines: [Line] = identities.indices.filter { outcomes[$0].isForPurpose }.map { index in
            (identities[index].label, facts[index].sha1.upperHex, outcomes[index].outcome.name)
        }
        if session.writesJSON { return show(json: lines, row) }
        if let subject { session.output.write("Looking for identities matching \(subject.quoted)\n") }
        if !showsValidOnly {
            session.output.write("\nPolicy: \(row.title)\n  Matching identities\n")
            list(lines, "     \(lines.count) identities found\n\n")
            session.output.write("  Valid identities only\n")
        }
        let valid = lines.filter(\.error.isEmpty)
        list(valid, "     \(valid.count) valid identities found\n")
    }

    private func evaluate(
        _ identities: [StoredCertificates.Found], _ row: TrustPolicies.Row
    ) throws(CommandFailure) -> [CertificateEvaluation] {
        guard let policy = row.policy else {
            return identities.map { _ in CertificateEvaluation(.wrongPurpose, isForPurpose: false, chain: []) }
        }
        let evaluation = StoredTrustEvaluation(stored: stored, policy: policy, name: subject)
        return try evaluation.evaluate(identities.map(\.certificate))
    }

    private func list(_ lines: [Line], _ count: String) {
        for (index, line) in lines.enumerated() {
            let number = String(index + 1)
            let padding = String(repeating: " ", count: max(0, 3 - number.count))
            let error = line.error.isEmpty ? "" : " (\(line.error))"
            session.output.write("\(padding)\(number)) \(line.hash) \(line.name.quoted)\(error)\n")
        }
        session.output.write(count)
    }

    private func show(json lines: [Line], _ row: TrustPolicies.Row) {
        let shown = showsValidOnly ? lines.filter(\.error.isEmpty) : lines
        session.output.write(
            .array(
                shown.map { line in
                    .object([
                        ("policy", .string(row.title)), ("sha1", .string(line.hash)), ("name", .string(line.name)),
                        ("valid", .boolean(line.error.isEmpty)),
                        ("error", line.error.isEmpty ? .null : .string(line.error)),
                    ])
                }))
    }
}
