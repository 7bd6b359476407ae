import CertificateWire
import CommandOptions
import KeychainModel
import LinuxSystem

/// `add-certificates`: certificates from files become items. A file that fails does not stop the others.
enum AddCertificates {
    private static let call = "SecCertificateAddToKeychain"

    static let command = Command(
        "add-certificates", "Add certificates to a keychain.", synopsis: "[-k keychain] file...",
        options: [CommandOption("k", value: "keychain", "The keychain to add to.")],
        notes: ["The files have certificates in DER or PEM, and nothing else."], operands: 1...Int.max
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.value("k"), call)
        var hasFailed = false
        for file in arguments.operands {
            do throws(CommandFailure) {
                try UnlockOffer(session).run { () throws(CommandFailure) in
                    try add(file, arguments.value("k")?.text, session)
                }
            } catch {
                session.report(error)
                hasFailed = true
            }
        }
        if hasFailed { throw .shown }
    }

    private static func add(_ file: Argument, _ name: String?, _ session: Session) throws(CommandFailure) {
        let items = try CertificateFile(file, session).items()
        do throws(CommandFailure) { _ = try ItemAddition(items: items, session: session, call: call).run() } catch {
            guard error.isStatus(.duplicateItem) else { throw error.withStatusOne }
            throw .failed("\(file.text): already in \(name ?? "default keychain")")
        }
    }
}

/// A file that has certificates and nothing else.
struct CertificateFile {
    private let path: Argument
    private let session: Session

    init(_ path: Argument, _ session: Session) { (self.path, self.session) = (path, session) }

    /// The certificates as items.
    ///
    /// - Throws: a failure with exit status 1 for a file that cannot be read, or that has keys too.
    func items() throws(CommandFailure) -> [CertificateItem] {
        let items: [CertificateItem]
        do throws(CommandFailure) { items = try ImportFile(path, session).items(SecretBytes(count: 0)) } catch {
            throw error.withStatusOne
        }
        guard items.allSatisfy({ $0.itemClass == .certificate }) else {
            throw .failed(
                "\(path.text): not only certificates", remedy: "Import keys with `security import`.")
        }
        return items
    }

    /// The certificates in DER.
    func certificates() throws(CommandFailure) -> [[UInt8]] {
        try items().map { item in item.value.withSpan { $0.array(0, $0.count) } }
    }
}
