import CodeSignature
import KeychainPolicy
import LinuxSystem

extension IdentityRules {
    /// The standing that a claim gives to a program that nothing else speaks for.
    ///
    /// A name is claimed below the user's home alone, by a file of the user's, in a process that sees the files that
    /// everybody sees: a sandbox must not get at the items of programs outside of it. In the system's keychain nothing
    /// is claimed, nor by an anchored program, whose items are kept from others.
    func provenance(of claim: CodeClaim, _ facts: some ProcessFacts, isAnchored: Bool) -> Provenance {
        let name: String
        switch claim {
        case .malformed(let why): return .misclaimed(why: why)
        case .name(let claimed): name = claimed
        }
        let obstacles: [(Bool, String)] = [
            (servedCallers == .system, "the system's keychain knows no claims"),
            (isAnchored, "the program is anchored"),
            (!facts.seesCommonFiles, "it runs in a sandbox"),
            (facts.file.owner != facts.user, "the file belongs to another user"),
        ]
        if let obstacle = obstacles.first(where: \.0) { return .misclaimed(why: obstacle.1) }
        guard let home = facts.home() else { return .misclaimed(why: "its user has no home folder") }
        guard facts.path.utf8.starts(with: (home + "/").utf8) else {
            return .misclaimed(why: "the file does not lie below \(home)")
        }
        return .claimed(name)
    }
}
