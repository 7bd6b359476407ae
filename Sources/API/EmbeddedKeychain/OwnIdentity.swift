import CallerIdentification
package import KeychainModel
package import KeychainPolicy
import LinuxSystem

extension CallerIdentity {
    /// The program this code runs in, by the rules of a daemon that serves its user: embedded and served, a program has
    /// the same groups. Its executable is read once.
    ///
    /// - Throws: what a daemon would refuse the program with.
    package static func thisProgram() throws(Refusal) -> CallerIdentity {
        let known = try OwnIdentity.known.get()
        // A forked child is the same program in another process.
        return CallerIdentity(
            user: known.user, process: CurrentProcess.identifier, program: known.program, provenance: known.provenance,
            isAnchored: known.isAnchored, groups: known.groups)
    }
}

enum OwnIdentity {
    static let identifier = CallerIdentifier(
        IdentityRules(.user(CurrentProcess.user), anchorGroup: try? AnchorGroup.find()))

    fileprivate static let known = Result { () throws(Refusal) in try identifier.identifyThisProcess() }
}
