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
        let path = if let file { file } else { try Configuration.anchorFile() }
        do throws(SystemError) { return try TrustAnchors.bundle(at: path) } catch {
            throw Refusal(
                .notTrusted, .untrusted, path, "The system's certificates cannot be read: \(error).",
                do: "Install ca-certificates, or name a file of PEM certificates with KEYCHAIN_ANCHORS.")
        }
    }
}
