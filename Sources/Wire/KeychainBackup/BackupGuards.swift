package import KeychainModel

extension AccessConstraint {
    /// Whether an item leaves in a backup for which these factors were shown: where no finger, no password of its own
    /// and no anchored program is demanded besides.
    package func isMetInBackup(by shown: AuthenticationFactors) -> Bool {
        isUnderstood && !needsPassword && !needsAnchor && isMet(by: shown, enrolmentIsCurrent: false)
    }
}
