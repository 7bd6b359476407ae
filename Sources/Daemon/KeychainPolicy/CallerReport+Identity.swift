import KeychainModel
package import KeychainWire

extension CallerReport {
    /// The report of an identity.
    package init(_ identity: CallerIdentity) {
        let (source, detail) = identity.provenance.words
        self.init(
            user: identity.user, process: identity.process, program: identity.program, source: source, detail: detail,
            isAnchored: identity.isAnchored, mayInspectAllGroups: identity.mayInspectAllGroups,
            mayAskForOthers: identity.mayAskForOthers, groups: identity.groups)
    }
}

extension CallerIdentity {
    /// The identity that a report shows; nil for one that shows none.
    ///
    /// - Parameter mayManageUnits: which no report says.
    package init?(_ report: CallerReport, mayManageUnits: Bool) {
        guard let provenance = Provenance(report.source, report.detail, program: report.program) else { return nil }
        self.init(
            user: report.user, process: report.process, program: report.program, provenance: provenance,
            isAnchored: report.isAnchored, groups: report.groups, mayInspectAllGroups: report.mayInspectAllGroups,
            mayAskForOthers: report.mayAskForOthers, mayManageUnits: mayManageUnits)
    }
}

extension Provenance {
    /// The meanings of the texts in ``words``.
    fileprivate init?(_ source: String, _ detail: String, program: String) {
        switch source {
        case "signed": self = .signed(team: detail, identifier: program)
        case "installed": self = .installed(file: detail)
        case "unit": self = .unit(detail)
        case "claimed": self = .claimed(detail)
        case "unsigned": self = detail.isEmpty ? .unsigned : .misclaimed(why: detail)
        default:
            guard let sandbox = SandboxKind(rawValue: source) else { return nil }
            self = .sandboxed(sandbox, application: detail)
        }
    }

    /// The name, and its source.
    fileprivate var words: (source: String, detail: String) {
        switch self {
        case .signed(let team, _): ("signed", team)
        case .installed(let file): ("installed", file)
        case .sandboxed(let sandbox, let application): (sandbox.rawValue, application)
        case .unit(let unit): ("unit", unit)
        case .unsigned: ("unsigned", "")
        case .claimed(let name): ("claimed", name)
        case .misclaimed(let why): ("unsigned", why)
        }
    }
}
