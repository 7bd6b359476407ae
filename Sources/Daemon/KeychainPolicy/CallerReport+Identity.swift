package import KeychainWire

extension CallerReport {
    /// What there is to show of an identity.
    package init(_ identity: CallerIdentity) {
        let (source, detail) = identity.provenance.words
        self.init(
            user: identity.user, process: identity.process, program: identity.program, source: source, detail: detail,
            isAnchored: identity.isAnchored, mayInspectAllGroups: identity.mayInspectAllGroups,
            groups: identity.groups)
    }
}

extension Provenance {
    /// What it is called, and whose word it is.
    fileprivate var words: (source: String, detail: String) {
        switch self {
        case .signed(let team, _): ("signed", team)
        case .installed(let file): ("installed", file)
        case .sandboxed(let sandbox, let application): (sandbox.rawValue, application)
        case .unit(let unit): ("unit", unit)
        case .unsigned: ("unsigned", "")
        }
    }
}
