/// The conditions under which an item may be opened: a protection class and the required authentication. Immutable.
///
/// `SecAccessControlCreateWithFlags` makes one. Every found item has one among its attributes. Source: Apple,
/// `SecAccessControl`.
public final class SecAccessControl: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecAccessControl.self)
    private let runtimeWord = SecAccessControl.runtimeType.word

    /// The protection class, one of the `kSecAttrAccessible…` values.
    let protection: String
    /// The required authentication; nil for an item that was added without an access control.
    let givenFlags: SecAccessControlCreateFlags?

    /// The required authentication.
    package var flags: SecAccessControlCreateFlags { givenFlags ?? [] }

    /// Makes an access control of matching parts. `SecAccessControlCreateWithFlags` checks that they match.
    init(protection: String, flags: SecAccessControlCreateFlags? = nil) {
        self.protection = protection
        givenFlags = flags
    }

    /// The protection class and what each operation requires, as on Apple systems:
    /// `<SecAccessControlRef: ak;od(cpo(DeviceOwnerAuthentication));odel(true);oe(true)>`.
    public override var description: String {
        let requirements = givenFlags.map(\.operationRequirements) ?? []
        return "<SecAccessControlRef: \(([protection] + requirements).joined(separator: ";"))>"
    }

    /// Whether both grant the same, whatever the spelling of their flags: the printed form leaves nothing out.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.description == description
    }

    /// A hash that equal access controls share.
    public override var hash: Int { description.hashValue }
}

/// The terms of the printed form (rule access-control.create.flags): `operation(requirement)`.
extension SecAccessControlCreateFlags {
    fileprivate var operationRequirements: [String] {
        let password = contains(.applicationPassword) ? ["prp(true)"] : []
        let anchor = contains(.anchoredProgram) ? ["anchored(true)"] : []
        return guardedOperations + password + anchor
    }

    private var guardedOperations: [String] {
        let required = constraintRequirement
        if contains(.privateKeyUsage) {
            // Compute a shared secret, delete, sign, attest, decapsulate.
            return ["ock(\(required))", "odel(true)", "osgn(\(required))", "oa(true)", "okd(\(required))"]
        }
        if constraints.isEmpty { return ["dacl(true)"] }
        // Decrypt, delete, encrypt.
        return ["od(\(required))", "odel(true)", "oe(true)"]
    }

    private var constraintRequirement: String {
        switch constraints.count {
        case 0: "true"
        case 1: constraints[0]
        case let count: "pkofn(\(contains(.or) ? 1 : count))" + constraints.joined()
        }
    }

    private var constraints: [String] {
        Self.constraintTerms.filter { contains($0.flag) }.map(\.term)
    }

    /// Biometric enrolments are filled in when the item is made; an access control by itself leaves them empty.
    private static let constraintTerms: [(flag: Self, term: String)] = [
        (.userPresence, "cpo(DeviceOwnerAuthentication)"),
        (.devicePasscode, "cup(true)"),
        (.biometryAny, "cbio(pbioc())"),
        (.biometryCurrentSet, "cbio(pbioc()pbioh())"),
        (.companion, "watch(true)"),
    ]
}
