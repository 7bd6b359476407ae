package import CodeSignature

/// An executable's own word about itself.
package enum ProgramMark: Hashable, Sendable {
    /// It is signed, and the signature holds.
    case signature(ProgramSignature)
    /// It is not signed, and has a name embedded that it claims, or something that is none.
    case claim(CodeClaim)

    var signature: ProgramSignature? { if case .signature(let signature) = self { signature } else { nil } }
    var claim: CodeClaim? { if case .claim(let claim) = self { claim } else { nil } }
}
