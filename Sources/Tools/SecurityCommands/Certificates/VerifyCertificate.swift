import CertificateWire
import CommandOptions
import KeychainModel
import LinuxSystem

/// `verify-cert`.
struct VerifyCertificate {
    private static let call = "SecTrustEvaluate"
    private let arguments: ParsedArguments
    private let session: Session

    static let command = Command(
        "verify-cert", "Verify certificates.",
        synopsis: "-c certFile... [-r rootCertFile...] [-p policy] [-n name] [-d date] [-k keychain] [-q]",
        options: [
            CommandOption("c", value: "certFile", "The certificate, then others of its chain."),
            CommandOption("r", value: "rootCertFile", "A root to trust in place of the system's."),
            CommandOption(
                "p", value: "policy", "basic (unless one is given), ssl, smime, eap, IPSec, codeSign or timestamping."),
            CommandOption("n", value: "name", "The host, or for smime the address, that must be named."),
            CommandOption("s", value: "name", "The same, by its older name."),
            CommandOption("e", value: "emailAddress", "The address that must be named."),
            CommandOption("d", value: "date", "When: YYYY-MM-DDThh:mm:ssZ, or the date alone."),
            CommandOption("k", value: "keychain", "Where other certificates are looked for."),
            CommandOption("C", "The certificate is a client's."),
            CommandOption("L", "Accepted for old scripts: nothing is fetched."),
            CommandOption("l", "Accepted for old scripts: the certificate may be an authority's."),
            CommandOption("N", "Do not use the keychain's certificates."),
            CommandOption("P", "Show the chain."),
            CommandOption("t", "Show the chain."),
            CommandOption("v", "Show the chain."),
            CommandOption("R", value: "check", "Check revocation; not here."),
            CommandOption("q", "Write nothing; the exit status says it all."),
        ],
        notes: ["Nothing is fetched. Exit status 1 when the certificate is not trusted."], operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        try VerifyCertificate(arguments: arguments, session: session).run()
    }

    private func run() throws(CommandFailure) {
        guard arguments.operands.isEmpty, !arguments.has("R") else {
            throw .failed(
                "verify-cert: servers and revocation are not asked",
                remedy: "Save the chain with `openssl s_client -showcerts`, and give it with -c.")
        }
        let certificates = try files("c")
        guard let leaf = certificates.first else {
            if !session.writesJSON { session.diagnostics.write("***No certs specified.\n") }
            throw .usage(session.writesJSON ? "***No certs specified." : nil)
        }
        let stored = StoredCertificates(session: session, call: Self.call, keychains: arguments.values(of: "k"))
        var evaluation = StoredTrustEvaluation(stored: stored, policy: try policy(), name: name)
        evaluation.helpers = Array(certificates.dropFirst())
        evaluation.usesKeychain = !arguments.has("N")
        if arguments.has("r") { evaluation.anchors = try files("r") }
        if let date = arguments.value("d")?.text {
            guard let moment = Moment(date) else {
                throw .usage("\"\(date)\" is not a time such as 2026-01-31T18:30:00Z")
            }
            evaluation.date = moment.secondsSinceReferenceDate
        }
        guard let result = try evaluation.evaluate([leaf]).first else { throw .shown }
        try show(result)
    }

    private func files(_ letter: Character) throws(CommandFailure) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        for file in arguments.values(of: letter) { certificates += try CertificateFile(file, session).certificates() }
        return certificates
    }

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
            session.output.write(
                .object([
                    ("trusted", .boolean(result.outcome == .trusted)),
                    ("error", result.outcome == .trusted ? .null : .string(result.outcome.name)),
                    ("chain", .array(result.chain.map { .string($0) })),
                ]))
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
        for (place, name) in result.chain.enumerated() { session.output.write(" \(place): \(name.printable)\n") }
    }
}
