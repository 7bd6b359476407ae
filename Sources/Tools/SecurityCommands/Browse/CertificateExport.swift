import DER
import Glibc
import LinuxSystem

/// A certificate in a file of its own, in PEM.
enum CertificateExport {
    private static let mostCharacters = 60

    /// The name of the file: the letters and digits of the item's name.
    static func fileName(of item: ListedItem) -> String {
        let kept = item.name.unicodeScalars.prefix(mostCharacters).map { scalar in
            scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)) ? Character(scalar) : "-"
        }
        return (kept.isEmpty ? "certificate" : String(kept)) + ".pem"
    }

    /// Writes the certificate into the folder of this process. A file that is there already stays.
    static func write(_ certificate: [UInt8], of item: ListedItem) throws(CommandFailure) {
        let name = fileName(of: item)
        let buffer = SecretBuffer(capacity: 4096)
        PEM.append(label: "CERTIFICATE", certificate.span, to: buffer)
        do throws(SystemError) {
            let file = try FileDescriptor.open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            try buffer.withSpan { (span) throws(SystemError) in try file.writeFully(span, deadline: .never) }
        } catch { throw CommandFailure(name, error) }
    }
}
