package import FileFormat
package import KeychainModel
import LinuxSystem

/// Has the keys of protected files: the keychain, or identities of recovery.
package protocol FileOpener: Sendable {
    /// Proves a file's header with the key that one of its slots gives.
    ///
    /// - Throws: why there is no key; `errSecDecode` (`file.damaged`) when no header is authentic.
    func authenticate(_ preamble: FilePreamble) throws(Refusal) -> AuthenticHeader
}

extension FileKeychain: FileOpener {}

/// The identities of a file as `security file recovery-key` and age-keygen write it: one a line, comments behind `#`.
/// They open the files that were protected with one of them as recovery recipient, without any keychain.
package struct RecoveryIdentities: FileOpener {
    private let identities: [RecoveryIdentity]

    /// - Throws: `errSecParam` for a line that is none, or when there is none.
    package init(lines text: Span<UInt8>) throws(Refusal) {
        var (found, start) = ([RecoveryIdentity](), 0)
        while start < text.count {
            var end = start
            while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
            let next = end + 1
            while end > start, [UInt8(ascii: "\r"), UInt8(ascii: " ")].contains(text[end - 1]) { end -= 1 }
            if end > start, text[start] != UInt8(ascii: "#") {
                let line = text.extracting(start..<end)
                found.append(try formatting { () throws(FileError) in try RecoveryIdentity(text: line) })
            }
            start = next
        }
        guard !found.isEmpty else { throw FileError.noIdentity.refusal }
        identities = found
    }

    package func authenticate(_ preamble: FilePreamble) throws(Refusal) -> AuthenticHeader {
        let header = try formatting { () throws(FileError) in
            try preamble.authenticate { header in
                identities.lazy.compactMap { try? $0.fileKey(of: header) }.first
            }
        }
        guard let header else { throw .notForIdentity }
        return header
    }
}

extension Refusal.Rule {
    /// No slot of the file is for the identity.
    package static let notForIdentity = Self(rawValue: "file.other-identity")
}

extension Refusal {
    fileprivate static let notForIdentity = Refusal(
        .itemNotFound, .notForIdentity, "identity", "The file has no recovery recipient whose identity this is.",
        do: "Name the identity of another recipient, or open the file with its keychain.")
}
