import CertificateWire
import CommandOptions
import DER
import KeychainModel
import LinuxSystem

/// `verify-cert`.
struct VerifyCertificate {
    private static let call = "SecTrustEvaluate"
    private let arguments: ParsedArguments
    private let session: Session

    static let command = Command(
        "verify-cert", "Verify certificates.",
        synopsis: "-c certFile... [-r rootCertFile...] [-p policy] [-n [name]] [-d date] [-R check]... [-lNPq]",
        options: [
            CommandOption("c", value: "certFile", "The certificate, then others of its chain."),
            CommandOption(
                "r", value: "rootCertFile", "A root to trust in place of the system's; alone, it is what is verified."),
            CommandOption(
                "p", value: "policy", "basic (unless one is given), ssl, smime, eap, IPSec, codeSign or timestamping."),
            CommandOption(
                "n", value: "name", isOptional: true,
                "The host, or for smime the address, that must be named; without a name as -N."),
            CommandOption("s", value: "name", "The same, by its older name."),
            CommandOption("e", value: "emailAddress", "The address that must be named."),
            CommandOption("d", value: "date", "When: YYYY-MM-DD-hh:mm:ss or YYYY-MM-DDThh:mm:ssZ, or the date alone."),
            CommandOption("k", value: "keychain", "Where other certificates are looked for."),
            CommandOption("C", "The certificate is a client's."),
            CommandOption("L", "Accepted for old scripts: nothing is fetched."),
            CommandOption("l", "An authority's certificate need not have the purpose itself."),
            CommandOption("N", "Do not use the keychain's certificates."),
            CommandOption("P", "Show the chain, in PEM."),
            CommandOption("t", "Show the chain."),
            CommandOption("v", "Show the chain."),
            CommandOption(
                "R", value: "check", "Revocation: offline, ocsp or crl, which fetch nothing, or require, which fails."),
            CommandOption("q", "Write nothing; the exit status says it all."),
        ],
        notes: [
            """
            Nothing is fetched, so nothing is known of revocation: only -R require makes that a failure. Exit status \
            1 when the certificate is not trusted.
            """
        ], operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        try VerifyCertificate(arguments: arguments, session: session).run()
    }

    private func run() throws(CommandFailure) {
        guard arguments.operands.isEmpty else {
            throw .failed(
                "verify-cert: servers are not asked",
                remedy: "Save the chain with `openssl s_client -showcerts`, and give it with -c.")
        }
        let (given, roots) = (try files("c"), try files("r"))
        // A root alone is verified against itself, as on macOS.
        let certificates = given.isEmpty && roots.count == 1 ? roots : given
        guard let leaf = certificates.first else {
            if !session.writesJSON { session.diagnostics.write("***No certs specified.\n") }
            throw .usage(session.writesJSON ? "***No certs specified." : nil)
        }
        var evaluation = try evaluation()
        evaluation.helpers = Array(certificates.dropFirst())
        if arguments.has("r") { evaluation.anchors = roots }
        guard let result = try evaluation.evaluate([leaf]).first else { throw .shown }
        try show(result)
    }

    private func evaluation() throws(CommandFailure) -> StoredTrustEvaluation {
        let stored = StoredCertificates(session: session, call: Self.call, keychains: arguments.values(of: "k"))
        var evaluation = StoredTrustEvaluation(stored: stored, policy: try policy(), name: name)
        evaluation.usesKeychain = !arguments.has("N") && !isNameLeftOut
        evaluation.mayBeAuthority = arguments.has("l")
        evaluation.needsRevocationCheck = try checks().contains(.require)
        evaluation.returnsChain = arguments.has("P")
        if let date = arguments.value("d")?.text {
            guard let moment = Moment(ofMac: date) else {
                throw .usage("\"\(date)\" is not a time such as 2026-01-31-18:30:00 or 2026-01-31T18:30:00Z")
            }
            evaluation.date = moment.secondsSinceReferenceDate
        }
        return evaluation
    }

    /// macOS's checks of revocation. Nothing is fetched, so the first three find nothing out, as they may on macOS.
    private enum RevocationCheck: String { case offline, ocsp, crl, require }

    private func checks() throws(CommandFailure) -> [RevocationCheck] {
        var checks: [RevocationCheck] = []
        for given in arguments.values(of: "R") {
            guard let check = RevocationCheck(rawValue: given.text) else {
                throw .usage("-R takes offline, ocsp, crl or require, not \"\(given.text)\"")
            }
            checks.append(check)
        }
        if checks.contains(.ocsp) || checks.contains(.crl), !arguments.has("q") {
            session.giveReasons("Nothing is fetched: whether a certificate has been revoked is not known.", "")
        }
        return checks
    }

    private func files(_ letter: Character) throws(CommandFailure) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for file in arguments.values(of: letter) { certificates += try CertificateFile(file, session).certificates() }
        return certificates
    }

    /// Whether `-n` came without a name: macOS's older form of `-N`.
    private var isNameLeftOut: Bool { arguments.values.contains { $0.letter == "n" && $0.value == nil } }

    private var name: String? { ["n", "s", "e"].compactMap { arguments.value($0)?.text }.first }

    private func policy() throws(CommandFailure) -> CertificatePolicy {
        let name = arguments.value("p")?.text ?? "basic"
        guard let policy = TrustPolicies.row(ofCertificate: name)?.policy else {
            throw .usage("there is no policy \"\(name)\"")
        }
        return policy == .tlsServer && arguments.has("C") ? .tlsClient : policy
    }

    private func show(_ result: CertificateEvaluation) throws(CommandFailure) {
        if session.writesJSON {
            let pem = result.certificates.map { JSONValue.string(PEM.text(label: "CERTIFICATE", $0.span)) }
            session.output.write(
                .object(
                    [
                        ("trusted", .boolean(result.outcome == .trusted)),
                        ("error", result.outcome == .trusted ? .null : .string(result.outcome.name)),
                        ("chain", .array(result.chain.map { .string($0) })),
                    ] + (arguments.has("P") ? [("certificates", .array(pem))] : [])))
        } else if !arguments.has("q") {
            if result.outcome == .trusted { session.output.write("...certificate verification successful.\n") }
            if ["P", "t", "v"].contains(where: arguments.has) { showChain(result) }
        }
        guard result.outcome != .trusted else { return }
        guard !session.writesJSON, !arguments.has("q") else { throw .shown }
        session.output.flush()
        let line =
            result.outcome == .denied
            ? "SecTrustEvaluate result: kSecTrustResultDeny" : "Cert Verify Result: \(result.outcome.name)"
        session.diagnostics.write("\(line)\n")
        session.giveReasons(result.outcome.reason, "Give the missing certificates with -c, or a root with -r.")
        throw .shown
    }

    private func showChain(_ result: CertificateEvaluation) {
        session.output.write("---\nCertificate chain\n")
        for (place, name) in result.chain.enumerated() {
            session.output.write(" \(place): \(name.printable)\n")
            guard result.certificates.indices.contains(place) else { continue }
            let certificate = result.certificates[place]
            session.output.write(PEM.text(label: "CERTIFICATE", certificate.span))
        }
    }
}
