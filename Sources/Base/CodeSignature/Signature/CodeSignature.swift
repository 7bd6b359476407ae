package import KeychainModel
package import LinuxSystem

/// A verified signature of an executable. A value exists only after three checks: the loaded bytes are the signed ones,
/// the key belongs to its team, and the groups begin with its Team ID.
package struct CodeSignature: Hashable, Sendable {
    /// The signer's name for the program.
    package let identifier: String
    package let team: TeamID
    package let entitlements: Entitlements
    /// The entitlements file that the signer got; empty when there was none.
    package let plist: [UInt8]
    /// The key that signed.
    package let key: TeamPublicKey
    package let chain: TeamChain
    /// The code digest, 32 bytes (docs/formats/signature.md).
    package let codeDigest: [UInt8]

    /// Verifies the signature of a file of any size, reading it in pieces.
    ///
    /// - Returns: nil when the file is not signed: it is not an ELF file, or has no note of this project.
    /// - Throws: `errSecMissingEntitlement` when there is a signature that does not hold; its rule says why:
    ///   `code.malformed`, `code.newer-format`, `code.wrong-signature`, `code.changed`, `code.too-large`,
    ///   `code.identifier`, `team.rotation`, `team.wrong-signature`, `entitlements.malformed`,
    ///   `entitlements.placeholder`, `entitlements.foreign-prefix`. Also `errSecIO` (`code.unreadable`), and
    ///   `errSecInternalComponent` when OpenSSL fails.
    package static func read(from file: FileDescriptor) throws(Refusal) -> CodeSignature? {
        guard let elf = try ELFFile(file), let descriptor = try elf.signatureDescriptor() else { return nil }
        let signature = try CodeSignature(SignatureNote(verifying: descriptor))
        // This check comes last because it costs most. A signature that fails otherwise costs no reading.
        guard try CodeDigest.of(elf) == signature.codeDigest else { throw .changedCode }
        return signature
    }

    /// Verifies everything in the note except the digest.
    init(_ note: SignatureNote) throws(Refusal) {
        try CodeIdentifier.check(note.identifier)
        chain = try TeamChain(note.chain, to: note.key)
        team = chain.team
        entitlements = try Entitlements(plist: note.entitlements, team: chain.team, identifier: note.identifier)
        (identifier, plist, key, codeDigest) = (note.identifier, note.entitlements, note.key, note.codeDigest)
    }
}
