/// The printed form of an access control (rule access-control.create.flags): the class, then what each operation
/// requires, `ak;od(cpo(DeviceOwnerAuthentication));odel(true);oe(true)`.
extension AccessControl {
    package var text: String { Self.text(of: accessibility.code, flags: flags) }

    /// - Parameter flags: the bits of `SecAccessControlCreateFlags`; nil for an item without an access control.
    package static func text(of protection: String, flags: UInt64?) -> String {
        let requirements = flags.map { AccessConstraint(flags: $0).operationRequirements } ?? []
        return ([protection] + requirements).joined(separator: ";")
    }
}

extension AccessConstraint {
    /// The terms `operation(requirement)`.
    fileprivate var operationRequirements: [String] {
        guardedOperations + (needsPassword ? ["prp(true)"] : []) + (needsAnchor ? ["anchored(true)"] : [])
    }

    private var guardedOperations: [String] {
        let required = constraintRequirement
        if guardsKeyUse {
            // Compute a shared secret, delete, sign, attest, decapsulate.
            return ["ock(\(required))", "odel(true)", "osgn(\(required))", "oa(true)", "okd(\(required))"]
        }
        if demands.isEmpty { return ["dacl(true)"] }
        // Decrypt, delete, encrypt.
        return ["od(\(required))", "odel(true)", "oe(true)"]
    }

    private var constraintRequirement: String {
        let terms = Self.terms.filter { demands.contains($0.demand) }.map(\.term)
        return switch terms.count {
        case 0: "true"
        case 1: terms[0]
        case let count: "pkofn(\(isAlternative ? 1 : count))" + terms.joined()
        }
    }

    /// Biometric enrolments are filled in when the item is made; an access control by itself leaves them empty.
    private static let terms: [(demand: Demand, term: String)] = [
        (.userPresence, "cpo(DeviceOwnerAuthentication)"),
        (.devicePasscode, "cup(true)"),
        (.biometryAny, "cbio(pbioc())"),
        (.biometryCurrentSet, "cbio(pbioc()pbioh())"),
        (.companion, "watch(true)"),
    ]
}
