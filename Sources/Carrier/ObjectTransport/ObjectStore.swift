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

    /// A bucket as people spell it: the bucket's URL, and behind `?` the region and a file with authorities.
    ///
    ///     place     = url ["?" parameter *("&" parameter)]
    ///     parameter = "region=" word | "authorities=" absolute path
    ///
    /// - Throws: ``TransportProblem/refused(_:)`` for another URL, and for parameters that it does not know.
    package init(place: String, accessKey: String, secretKey: SecretBytes) throws(TransportProblem) {
        let parts = place.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        var (region, authorities) = ("us-east-1", String?.none)
        for parameter in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let words = parameter.split(separator: "=", maxSplits: 1).map(String.init)
            guard words.count == 2 else { throw .wrongParameter }
            switch words[0] {
            case "region" where words[1].utf8.allSatisfy(Self.isOfRegion): region = words[1]
            case "authorities" where words[1].hasPrefix("/"): authorities = words[1]
            default: throw .wrongParameter
            }
        }
        try self.init(
            parts[0], region: region, accessKey: accessKey, secretKey: secretKey, authorities: authorities)
    }

    /// A colon would begin something else in an option of libcurl's.
    private static func isOfRegion(_ byte: UInt8) -> Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || byte == UInt8(ascii: "-")
    }

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

extension TransportProblem {
    fileprivate static let wrongParameter = Self.refused(
        "behind the bucket's URL stand region=NAME and authorities=/FILE, and nothing else")
}
