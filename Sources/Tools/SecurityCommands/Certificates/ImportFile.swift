import CertificateWire
import CommandOptions
import Glibc
import KeychainModel
import LinuxSystem

/// The file that `import` reads, and the passphrase that opens it.
struct ImportFile {
    /// The function that macOS's command names in its messages.
    static let call = "SecKeychainItemImport"
    private static let attempts = 3

    private let path: Argument
    private let session: Session

    init(_ path: Argument, _ session: Session) { (self.path, self.session) = (path, session) }

    /// The items in the file. A terminal is asked for a passphrase that is missing or wrong, three tries in all.
    ///
    /// - Parameter given: the passphrase; nil when none was given.
    func items(_ given: SecretBytes?) throws(CommandFailure) -> [CertificateItem] {
        let file = try read()
        var (passphrase, tries) = (given, given == nil ? 0 : 1)
        while true {
            do throws(CommandFailure) {
                return try CertificateProgram.perform(ReadFile(file: file, passphrase: passphrase), Self.call).items
            } catch {
                let isMissing = error.isStatus(.passphraseRequired)
                let mayAskAgain = error.isStatus(.wrongPassphrase) && session.input.isTerminal
                guard isMissing || mayAskAgain, tries < Self.attempts else { throw error }
            }
            passphrase = try ask()
            tries += 1
        }
    }

    private func ask() throws(CommandFailure) -> SecretBytes {
        let name = path.text.split(separator: "/").last.map(String.init) ?? path.text
        return try PasswordInput(session).passcode("password to unlock \(name.printable): ")
    }

    private func read() throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            return try AtomicFile.readSecret(path.text, limit: CertificateLimits.fileBytes)
        } catch {
            let reason = error.advice.isEmpty ? unsafe String(cString: strerror(error.code)) : error.advice
            throw .failed("Error reading infile \(path.text): \(reason)")
        }
    }
}

extension KeychainStatus {
    fileprivate static let passphraseRequired = Self(rawValue: -25260)
    fileprivate static let wrongPassphrase = Self(rawValue: -25264)
}
