package import KeychainModel

/// The rotations that lead from a team's first key, whose Team ID it keeps, to the key that signs now.
package struct TeamChain: Hashable, Sendable {
    package let statements: [TeamStatement]
    /// Whose keys they are: the team of the first.
    package let team: TeamID

    /// Sixteen keys are one for every year of a long life.
    package static let mostStatements = 16

    /// Follows the statements to `key`.
    ///
    /// - Throws: `errSecMissingEntitlement` (`team.rotation`) when a link is missing, another team's, or leads
    ///   elsewhere.
    package init(_ statements: [TeamStatement], to key: TeamPublicKey) throws(Refusal) {
        guard statements.count <= Self.mostStatements else { throw .brokenChain }
        team = try TeamID(of: statements.first?.key ?? key)
        var current = statements.first?.key ?? key
        for statement in statements {
            guard case .rotation(let next) = statement.content, statement.key == current, statement.team == team else {
                throw .brokenChain
            }
            current = next
        }
        guard current == key else { throw .brokenChain }
        self.statements = statements
    }

    /// The chain with one key more: what a rotation makes of it.
    ///
    /// - Throws: `errSecMissingEntitlement` (`team.rotation`) when the chain cannot be longer.
    package func rotated(
        from signer: any TeamSigner, to key: TeamPublicKey, issued: UInt64
    ) throws(Refusal) -> TeamChain {
        let statement = try TeamStatement.make(.rotation(to: key), by: signer, chain: self, issued: issued)
        return try TeamChain(statements + [statement], to: key)
    }
}
