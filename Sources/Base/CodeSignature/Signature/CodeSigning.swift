import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// Signs executables: composes the note and writes the signed file.
package struct CodeSigning: Sendable {
    package var identifier: String
    /// A property list in XML; empty for none.
    package var plist: [UInt8]
    package var signer: any TeamSigner
    package var chain: TeamChain

    /// - Throws: `errSecMissingEntitlement`: `code.identifier`, `entitlements.malformed`, `.placeholder`,
    ///   `.foreign-prefix`. It never makes a signature that would not verify.
    package init(
        identifier: String, plist: [UInt8] = [], signer: any TeamSigner, chain: TeamChain
    ) throws(Refusal) {
        (self.identifier, self.plist, self.signer, self.chain) = (identifier, plist, signer, chain)
        try CodeIdentifier.check(identifier)
        _ = try Entitlements(plist: plist, team: chain.team, identifier: identifier)
    }

    /// Writes the signed form of an ELF file of any size, and verifies it. It replaces an existing signature.
    ///
    /// - Parameters:
    ///   - source: the file; it is only read.
    ///   - target: an empty file, open for reading and writing.
    /// - Returns: the signature as read back from the new file.
    /// - Throws: `errSecMissingEntitlement`: `code.not-elf`, `code.malformed`, `code.too-large`; `errSecIO`; any
    ///   refusal of the signer.
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

    /// The number of bytes at the end of an ELF file that no header describes and no signature covers. The program, or
    /// another one, may read such data by itself.
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
