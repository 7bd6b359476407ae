import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// Signs executables: what is put into a note, and the file that holds it.
package struct CodeSigning: Sendable {
    package var identifier: String
    /// A property list in XML; empty for none.
    package var plist: [UInt8]
    package var signer: any TeamSigner
    package var chain: TeamChain

    /// - Throws: `errSecMissingEntitlement`: `code.identifier`, `entitlements.malformed`, `.placeholder`,
    ///   `.foreign-prefix`; a signature that would not hold is never made.
    package init(
        identifier: String, plist: [UInt8] = [], signer: any TeamSigner, chain: TeamChain
    ) throws(Refusal) {
        (self.identifier, self.plist, self.signer, self.chain) = (identifier, plist, signer, chain)
        try CodeIdentifier.check(identifier)
        _ = try Entitlements(plist: plist, team: chain.team, identifier: identifier)
    }

    /// Writes the signed form of an ELF file, of any size, and verifies it. A signature that is there is replaced.
    ///
    /// - Parameters:
    ///   - source: the file; it is only read.
    ///   - target: an empty file, open for reading and writing.
    /// - Returns: the signature, as whoever reads the new file gets it.
    /// - Throws: `errSecMissingEntitlement`: `code.not-elf`, `code.malformed`, `code.too-large`; `errSecIO`; what the
    ///   signer refuses.
    package func sign(_ source: FileDescriptor, to target: FileDescriptor) throws(Refusal) -> CodeSignature {
        guard let elf = try ELFFile(source) else { throw .notELF }
        let note = SignatureNote(
            key: signer.publicKey, identifier: identifier, entitlements: plist, chain: chain.statements,
            codeDigest: try CodeDigest.of(elf))
        let unsigned = note.unsigned()
        let signature = try signer.sign(SignatureNote.domain + unsigned)
        try elf.rewrite(to: target, signature: SignatureSection.encode(unsigned + signature, elf.format))
        guard let written = try CodeSignature.read(from: target), written.identifier == identifier else {
            throw .malformedCode("what was written has no signature")
        }
        return written
    }

    /// Writes the unsigned form of a file.
    ///
    /// - Throws: as ``sign(_:to:)``.
    package static func removeSignature(from source: FileDescriptor, to target: FileDescriptor) throws(Refusal) {
        guard let elf = try ELFFile(source) else { throw .notELF }
        try elf.rewrite(to: target, signature: nil)
    }

    /// How many bytes at the end of an ELF file no header tells of, and no signature covers: data that the program, or
    /// somebody else, reads by itself.
    ///
    /// - Throws: as ``sign(_:to:)``.
    package static func uncoveredBytes(at source: FileDescriptor) throws(Refusal) -> UInt64 {
        guard let elf = try ELFFile(source) else { throw .notELF }
        let end = try elf.endOfKnownParts()
        return elf.size > end ? elf.size - end : 0
    }
}

extension Refusal {
    fileprivate static let notELF = Refusal(
        .missingEntitlement, .notELF, "signature", "This is no ELF executable: only those can be signed.",
        do: "Sign the program itself. For a script, root can install an entitlements file (docs/security/identity.md).")
}
