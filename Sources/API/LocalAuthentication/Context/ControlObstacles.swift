internal import KeychainModel

extension ContextCore {
    /// Whether anybody has to be asked before something under an access control is made or used (semantics D.5).
    ///
    /// Making something takes no user, for only reading does (S-86); a password of the program's own is needed for both.
    ///
    /// - Throws: `companionNotAvailable` for a control that only a paired device meets.
    func asksAnything(_ flags: UInt64, _ operation: GuardedOperation) throws(LAError) -> Bool {
        let constraint = AccessConstraint(flags: flags)
        if operation == .createItem || operation == .createKey { return constraint.needsPassword }
        let demands = constraint.demands
        let possible = demands.filter { $0 != .companion }
        if constraint.isAlternative ? !demands.isEmpty && possible.isEmpty : possible.count < demands.count {
            throw .noCompanion
        }
        return constraint.needsPassword || !demands.isEmpty
    }
}
