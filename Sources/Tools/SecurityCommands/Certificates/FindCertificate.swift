import CertificateWire
import CommandOptions
import DER
import KeychainModel
import KeychainWire
import LinuxSystem

/// `find-certificate`.
struct FindCertificate {
    private let arguments: ParsedArguments
    private let session: Session
    private let stored: StoredCertificates

    static let command = Command(
        "find-certificate", "Find a certificate item.",
        synopsis: "[-a] [-c name] [-e emailAddress] [-m] [-p] [-Z] [keychain...]",
        options: [
            CommandOption("a", "Find all matching certificates, not just the first one."),
            CommandOption("c", value: "name", "Match this part of the common name, whatever its case."),
            CommandOption("e", value: "emailAddress", "Match this address."),
            CommandOption("m", "Show the certificate's email addresses."),
            CommandOption("p", "Write the certificate as PEM."),
            CommandOption("Z", "Show the SHA-256 and the SHA-1 of the certificate."),
        ],
        notes: ["The first is the oldest. With -a, exit status 0 also when nothing was found."], operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let (call, stored) = (PasswordQuery.call, StoredCertificates(session: session, call: PasswordQuery.call))
            let find = FindCertificate(arguments: arguments, session: session, stored: stored)
            var isFound = false
            let run = { () throws(CommandFailure) in if try find.run() { isFound = true } }
            if arguments.has("a") {
                try session.inEach(arguments.operands, call, hasFound: { isFound }, run)
            } else {
                try session.inFirst(arguments.operands, call, run)
            }
        }
    }

    /// - Returns: whether there was one.
    private func run() throws(CommandFailure) -> Bool {
        var found = try stored.all()
        var facts: [CertificateFacts]?
        if ["c", "e", "m", "Z"].contains(where: arguments.has) {
            let all = try stored.facts(found.map(\.certificate))
            let chosen = found.indices.filter { matches(all[$0]) }
            (found, facts) = (chosen.map { found[$0] }, chosen.map { all[$0] })
        }
        guard !found.isEmpty else {
            if arguments.has("a") { return false }
            throw .refused(call: PasswordQuery.call, .nothingFound)
        }
        let store = try session.shownPath(PasswordQuery.call)
        for (index, one) in found.prefix(arguments.has("a") ? Int.max : 1).enumerated() {
            show(one, facts?[index], in: store)
        }
        return true
    }

    private func matches(_ facts: CertificateFacts) -> Bool {
        if let name = arguments.value("c")?.text, !facts.commonName.lowercased().contains(name.lowercased()) {
            return false
        }
        guard let address = arguments.value("e")?.text.lowercased() else { return true }
        return facts.addresses.contains { $0.lowercased() == address }
    }

    private func show(_ found: StoredCertificates.Found, _ facts: CertificateFacts?, in store: String) {
        if session.writesJSON { return session.output.write(json(found, facts, store)) }
        if let facts, arguments.has("Z") {
            session.output.write("SHA-256 hash: \(facts.sha256.upperHex)\nSHA-1 hash: \(facts.sha1.upperHex)\n")
        }
        if let facts, arguments.has("m"), !facts.addresses.isEmpty {
            session.output.write("email addresses: \(facts.addresses.joined(separator: ", ").printable)\n")
        }
        session.output.write { buffer in
            guard arguments.has("p") else { return ItemDump.append(found.stored.item, keychain: store, to: buffer) }
            PEM.append(label: "CERTIFICATE", found.certificate.span, to: buffer)
        }
    }

    private func json(
        _ found: StoredCertificates.Found, _ facts: CertificateFacts?, _ store: String
    ) -> JSONValue {
        var members = ItemJSON.object(found.stored.item, keychain: store)
        if arguments.has("p") {
            members.append(("pem", .string(PEM.text(label: "CERTIFICATE", found.certificate.span))))
        }
        guard let facts else { return .object(members) }
        members.append(("sha256", .string(facts.sha256.upperHex)))
        members.append(("sha1", .string(facts.sha1.upperHex)))
        members.append(("emailAddresses", .array(facts.addresses.map { .string($0) })))
        return .object(members)
    }
}
