internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The operating system's anchors: the file that the configuration names, or the first of the usual ones.
package enum SystemAnchors {
    /// Another file for the current task alone, as tests use it.
    @TaskLocal package static var file: String?

    /// Reads them.
    ///
    /// - Throws: `errSecNotTrusted` when there is no such file, or it cannot be read: then nothing can be believed.
    static func load() throws(Refusal) -> TrustAnchors {
        try read { path throws(SystemError) in try TrustAnchors.bundle(at: path) }
    }

    /// The certificates themselves.
    ///
    /// - Throws: as ``load()``.
    static func certificates() throws(Refusal) -> [Certificate] {
        try read { path throws(SystemError) in try TrustAnchors.certificates(at: path) }
    }

    private static func read<Result>(_ body: (String) throws(SystemError) -> Result) throws(Refusal) -> Result {
        let path = if let file { file } else { try Configuration.anchorFile() }
        do throws(SystemError) { return try body(path) } catch {
            throw Refusal(
                .notTrusted, .untrusted, path, "The system's certificates cannot be read: \(error).",
                do: "Install ca-certificates, or name a file of PEM certificates with KEYCHAIN_ANCHORS.")
        }
    }
}
