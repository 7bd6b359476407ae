package import LinuxSystem
package import SyncTransports

/// A bucket of an object store that speaks S3's protocol, and who may use it.
package struct ObjectStore: Sendable {
    /// The bucket's URL without a slash at its end.
    let bucket: String
    let region: String
    let accessKey: String
    let secretKey: SecretBytes
    /// Certificates of authorities besides the system's, in a file.
    let authorities: String?

    /// - Parameters:
    ///   - url: `https://HOST[:PORT]/BUCKET`. Plain `http` is for this machine's own addresses.
    ///   - region: as the store names it; most take `us-east-1`.
    /// - Throws: ``TransportProblem/refused(_:)`` for another URL.
    package init(
        _ url: String, region: String = "us-east-1", accessKey: String, secretKey: SecretBytes,
        authorities: String? = nil
    ) throws(TransportProblem) {
        guard Self.isBucket(url) else {
            throw .refused("the URL is not https://HOST/BUCKET: a name and a secret do not belong into it")
        }
        (bucket, self.region) = (url, region)
        (self.accessKey, self.secretKey, self.authorities) = (accessKey, secretKey, authorities)
    }

    private static func isBucket(_ url: String) -> Bool {
        let parts = url.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[1].isEmpty, !parts[2].isEmpty, !parts[3].isEmpty else { return false }
        let isPlain = url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && !Array("@?#%\"\\".utf8).contains($0) }
        let isLocal = ["127.0.0.1", "[::1]", "localhost"].contains { parts[2] == $0 || parts[2].hasPrefix("\($0):") }
        return isPlain && (parts[0] == "https:" || parts[0] == "http:" && isLocal)
    }
}
