import DER
import Glibc
import LinuxSystem

/// A certificate in a file of its own, in PEM.
struct CertificateExport {
    /// Seen from the folder of this process, where it is not absolute.
    let path: String
    private static let mostCharacters = 60

    /// - Parameters:
    ///   - path: `~/` means the home folder.
    ///   - home: the home folder; nil where that is not known.
    init(_ path: String, home: String?) {
        self.path = path.hasPrefix("~/") ? "\(home ?? "")\(path.dropFirst())" : path
    }

    /// The name that is offered: the letters and digits of the item's name.
    static func fileName(of item: ListedItem) -> String {
        let kept = item.name.unicodeScalars.prefix(mostCharacters).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "-"
        }
        return (kept.isEmpty ? "certificate" : String(kept)) + ".pem"
    }

    /// Writes the certificate.
    ///
    /// - Returns: false where there is a file already, which is not to be replaced. It stays.
    /// - Throws: a failure to write, also where there is something else than a file.
    func export(_ certificate: [UInt8], replacing: Bool) throws(CommandFailure) -> Bool {
        let buffer = SecretBuffer(capacity: 4096)
        PEM.append(label: "CERTIFICATE", certificate.span, to: buffer)
        let way = replacing ? O_TRUNC : O_EXCL
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | way, mode: 0o644)
            try buffer.withSpan { (span) throws(SystemError) in try file.writeFully(span, deadline: .never) }
            return true
        } catch {
            guard error.code == EEXIST, (try? FileStatus(at: path))?.isRegularFile ?? false else {
                throw CommandFailure(path, error)
            }
            return false
        }
    }
}
