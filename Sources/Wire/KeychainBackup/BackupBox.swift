package import KeychainCrypto
package import KeychainWire
package import LinuxSystem

/// The sealed boxes of a backup: its parts and its manifest.
///
///     box = box(key(purpose, index), proof:32 kind:u8 index:u32, content)
package struct BackupBox: Sendable {
    /// Where a box stands in its file.
    package struct Place: Sendable, Hashable {
        package let kind: BackupFraming.Kind
        /// Of a part, from 0; of the manifest 0.
        package let index: UInt32

        package init(kind: BackupFraming.Kind, index: UInt32) { (self.kind, self.index) = (kind, index) }

        package static let manifest = Self(kind: .manifest, index: 0)
        package static func part(_ index: UInt32) -> Self { Self(kind: .part, index: index) }

        var purpose: [UInt8] { Array((kind == .part ? "part" : "manifest").utf8) }

        fileprivate func aad(_ proof: [UInt8]) -> [UInt8] {
            proof + [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
        }

        fileprivate var name: String { kind == .part ? "part \(UInt64(index) + 1)" : "its manifest" }
    }

    package let place: Place
    /// The proof of the header.
    let proof: [UInt8]

    package init(_ place: Place, of header: BackupHeader) { (self.place, proof) = (place, header.proof) }

    /// Seals the content of the box under its key.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func seal(_ content: SecretBuffer, under key: SecretBytes) throws(CryptoError) -> [UInt8] {
        try key.withSpan { (key) throws(CryptoError) in
            let cipher = try AESGCM(key: key)
            return try content.withSpan { (content) throws(CryptoError) in
                try cipher.seal(content, aad: place.aad(proof).span)
            }
        }
    }

    /// Opens the box.
    ///
    /// - Throws: `damaged` for a box that is not the one that was sealed here.
    package func open(_ box: [UInt8], under key: SecretBytes) throws(BackupProblem) -> SecretBytes {
        let content = SecretBuffer(capacity: max(0, box.count - AESGCM.overhead))
        do throws(CryptoError) {
            try key.withSpan { (key) throws(CryptoError) in
                try AESGCM(key: key).open(box.span, aad: place.aad(proof).span, into: content)
            }
        } catch {
            let isDamage = error == .authenticationFailed || error == .boxTooShort
            throw isDamage ? .damaged(place.name) : .crypto(error)
        }
        return content.finish()
    }
}
