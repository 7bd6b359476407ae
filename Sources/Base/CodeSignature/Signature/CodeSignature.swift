package import KeychainModel
package import LinuxSystem

/// What an executable's signature proves. A value exists only when all of it was verified: the file's loaded bytes are
/// those that were signed, the key is its team's, the groups begin with its Team ID.
package struct CodeSignature: Hashable, Sendable {
    /// The signer's name for the program.
    package let identifier: String
    package let team: TeamID
    package let entitlements: Entitlements
    /// The entitlements file as it was given to the signer; empty when there was none.
    package let plist: [UInt8]
    /// The key that signed, and what leads to it from the team's first.
    package let key: TeamPublicKey
    package let chain: TeamChain
    /// What of the file is loaded and executed, as 32 bytes (docs/formats/signature.md).
    package let codeDigest: [UInt8]

    /// Verifies the signature of a file, however large, reading it piece by piece.
    ///
    /// - Returns: nil when the file is not signed: no ELF file, or without a note of ours.
    /// - Throws: `errSecMissingEntitlement` when there is a signature that does not hold; its rule says why:
    ///   `code.malformed`, `code.newer-format`, `code.wrong-signature`, `code.changed`, `code.too-large`,
    ///   `code.identifier`, `team.rotation`, `team.wrong-signature`, `entitlements.malformed`,
    ///   `entitlements.placeholder`, `entitlements.foreign-prefix`. Also `errSecIO` (`code.unreadable`), and
    ///   `errSecInternalComponent` when OpenSSL fails.
    package static func read(from file: FileDescriptor) throws(Refusal) -> CodeSignature? {
        guard let elf = try ELFFile(file), let descriptor = try elf.signatureDescriptor() else { return nil }
        let signature = try CodeSignature(SignatureNote(verifying: descriptor))
        // Last, because it is the work: nothing is read for a signature that does not hold anyway.
        guard try CodeDigest.of(elf) == signature.codeDigest else { throw .changedCode }
        return signature
    }

    /// Verifies all that a note says but the digest.
    init(_ note: SignatureNote) throws(Refusal) {
        try CodeIdentifier.check(note.identifier)
        chain = try TeamChain(note.chain, to: note.key)
        team = chain.team
        entitlements = try Entitlements(plist: note.entitlements, team: chain.team, identifier: note.identifier)
        (identifier, plist, key, codeDigest) = (note.identifier, note.entitlements, note.key, note.codeDigest)
    }
}
