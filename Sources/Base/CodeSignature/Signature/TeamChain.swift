package import KeychainModel

/// The rotations that lead from a team's first key to the key that signs now. The team keeps the Team ID of its first
/// key.
package struct TeamChain: Hashable, Sendable {
    package let statements: [TeamStatement]
    /// The team of the first key.
    package let team: TeamID

    /// Sixteen keys allow a new key in every year for a long time.
    package static let mostStatements = 16

    /// Follows the statements to `key`.
    ///
    /// - Throws: `errSecMissingEntitlement` (`team.rotation`) when a link is missing, belongs to another team, or leads
    ///   to another key.
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

    /// The chain after one more rotation.
    ///
    /// - Throws: `errSecMissingEntitlement` (`team.rotation`) when the chain has its maximum length.
    package func rotated(
        from signer: any TeamSigner, to key: TeamPublicKey, issued: UInt64
    ) throws(Refusal) -> TeamChain {
        let statement = try TeamStatement.make(.rotation(to: key), by: signer, chain: self, issued: issued)
        return try TeamChain(statements + [statement], to: key)
    }
}
