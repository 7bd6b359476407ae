internal import KeychainClient

/// A keychain of the user, by its path. Immutable; any thread may use it. Source: Apple, `SecKeychain`.
///
/// The object is a name. Each call finds the keychain that has the name at that moment, as on macOS.
public final class SecKeychain: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecKeychain.self)
    private let runtimeWord = SecKeychain.runtimeType.word

    /// The place of the keychain in a search list.
    let place: SearchList.Place

    init(_ place: SearchList.Place) { self.place = place }

    /// The path; `login` for the keychain of the login.
    public override var description: String {
        switch place {
        case .login: "<SecKeychainRef login>"
        case .path(let path): "<SecKeychainRef \(path)>"
        }
    }

    /// Whether both have the same path.
    public override func isEqual(_ object: Any?) -> Bool { (object as? SecKeychain)?.place == place }

    /// A hash that equal keychains share.
    public override var hash: Int {
        if case .path(let path) = place { return path.hashValue }
        return 0
    }
}
