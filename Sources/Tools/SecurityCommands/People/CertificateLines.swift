import CertificateWire

/// The lines about a certificate: its names, its number, when it is valid, its digest, its key and its uses.
enum CertificateLines {
    /// - Parameter moment: how a moment is shown.
    static func lines(
        of item: ListedItem, _ session: Session, _ call: String, moment: @escaping (ItemDate) -> String
    ) throws(CommandFailure) -> [(label: String, text: String)] {
        let certificate = try ItemAccess(session, call).certificate(of: item)
        let stored = StoredCertificates(session: session, call: call, keychains: [])
        return try stored.facts([certificate]).flatMap { facts -> [(label: String, text: String)] in
            let (details, uses) = (facts.details, facts.details.uses.map { session.text($0) })
            return [
                ("Subject", DisplayName.shown(details.subject.isEmpty ? facts.summary : details.subject)),
                ("Issuer", DisplayName.shown(details.issuer.isEmpty ? facts.issuer : details.issuer)),
                ("Serial", groups(facts.serialNumber)), ("Valid from", moment(ItemDate(seconds: facts.notBefore))),
                ("Expires", moment(ItemDate(seconds: facts.notAfter))), ("SHA-256", groups(facts.sha256.upperHex)),
                ("Key", session.text(details.key)), ("Uses", uses.joined(separator: ", ")),
            ].filter { !$0.1.isEmpty }
        }
    }

    /// Digits in groups of four, so that a long number has places to break.
    private static func groups(_ digits: String) -> String {
        digits.enumerated().map { place, digit in place > 0 && place % 4 == 0 ? " \(digit)" : "\(digit)" }.joined()
    }
}
