internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The operating system's anchors: the file that the configuration names, or the first of the usual ones.
package enum SystemAnchors {
    /// Another file for the current task alone, as tests use it.
    @TaskLocal package static var file: String?

    /// The folders of other administrators for the current task alone, as tests use it.
    @TaskLocal package static var administratorFolders = [
        "/usr/local/share/ca-certificates", "/etc/pki/ca-trust/source/anchors", "/etc/pki/trust/anchors",
        "/etc/ca-certificates/trust-source/anchors",
    ]

    /// Whether an anchor came with the distribution. Such an anchor is in the usual file, and not among those that the
    /// administrator added in the distribution's folders (update-ca-certificates(8), update-ca-trust(8), trust(1)).
    static func isFromDistribution(_ anchor: Certificate) -> Bool {
        let path = file ?? (try? Configuration.anchorFile())
        guard let path, file != nil || Configuration.isUsualAnchorFile(path) else { return false }
        return !administratorFolders.contains { holds($0, anchor, depth: 0) }
    }

    /// Whether a file of a folder, or of one within, is a certificate. An unreadable file or folder contains none.
    private static func holds(_ folder: String, _ anchor: Certificate, depth: Int) -> Bool {
        guard depth < 4, let names = try? FolderEntries.names(in: folder) else { return false }
        return names.contains { name in
            let path = "\(folder)/\(name)"
            if (try? FileStatus(at: path))?.isDirectory == true { return holds(path, anchor, depth: depth + 1) }
            if let bytes = try? AtomicFile.read(path, limit: 1 << 20), bytes == anchor.encoded { return true }
            return (try? TrustAnchors.certificates(at: path))?.contains(anchor) ?? false
        }
    }

    /// Reads the anchors.
    ///
    /// - Throws: `errSecNotTrusted` when the file is missing or unreadable: then nothing can be trusted.
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
