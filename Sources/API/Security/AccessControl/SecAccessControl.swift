internal import KeychainModel

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
        "<SecAccessControlRef: \(AccessControl.text(of: protection, flags: givenFlags.map { UInt64($0.rawValue) }))>"
    }

    /// Whether both grant the same, whatever the spelling of their flags: the printed form leaves nothing out.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? SecAccessControl)?.description == description
    }

    /// A hash that equal access controls share.
    public override var hash: Int { description.hashValue }
}
