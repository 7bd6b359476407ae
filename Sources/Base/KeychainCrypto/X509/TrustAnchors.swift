import DER
import Glibc
package import LinuxSystem

/// Certificates that are trusted without proof.
package struct TrustAnchors: Sendable {
    let handles: [X509Handle]

    /// Certificates of the caller's choice. One that OpenSSL does not read is left out.
    package init(_ certificates: [Certificate]) { handles = certificates.compactMap { try? X509Handle($0) } }

    private init(handles: [X509Handle]) { self.handles = handles }

    package static func + (left: Self, right: Self) -> Self { Self(handles: left.handles + right.handles) }

    /// The operating system's anchors: a file of PEM certificates, read again when it has changed.
    ///
    /// - Throws: `SystemError` when the file cannot be read; `EINVAL` when it is not PEM.
    package static func bundle(at path: String) throws(SystemError) -> TrustAnchors {
        let file = try FileDescriptor.open(path, O_RDONLY)
        let status = try FileStatus(of: file)
        return try known.withValue(inChild: { (_) throws(SystemError) in }) { (known) throws(SystemError) in
            if let (then, anchors) = known[path], then == status { return anchors }
            let anchors = TrustAnchors(try certificates(in: file, status.size))
            known[path] = (status, anchors)
            return anchors
        }
    }

    /// The certificates in such a file.
    package static func certificates(at path: String) throws(SystemError) -> [Certificate] {
        let file = try FileDescriptor.open(path, O_RDONLY)
        return try certificates(in: file, try FileStatus(of: file).size)
    }

    private static let known = ProcessLocal<[String: (FileStatus, TrustAnchors)]>([:])

    /// Certificates that cannot be read are left out: nobody can be asked to repair the system's list.
    private static func certificates(in file: FileDescriptor, _ size: Int) throws(SystemError) -> [Certificate] {
        guard (0...PEM.mostBytes).contains(size) else { throw SystemError(code: EFBIG, call: "read") }
        var text = [UInt8](repeating: 0, count: size)
        var span = text.mutableSpan
        let count = try file.readFully(into: &span, deadline: .after(milliseconds: 10_000))
        guard let blocks = try? PEM.read(text.span.extracting(0..<count)) else {
            throw SystemError(code: EINVAL, call: "read", advice: "it is not a file of PEM certificates")
        }
        return blocks.filter { $0.label.hasSuffix("CERTIFICATE") }
            .compactMap { block in block.content.withSpan { try? Certificate(parsing: $0) } }
    }
}
