/// An object that the service offers, as its path names it.
enum SecretObject: Hashable {
    case service
    case collection(String)
    case item(collection: String, String)
    case session(String)
    case prompt(String)

    static let root = "/org/freedesktop/secrets"
    /// Collections by their aliases are below it.
    static let aliases = root + "/aliases/"

    /// - Parameter aliases: the collections by their other names, which are paths of their own.
    init?(_ path: String, aliases: [String: String]) {
        guard path.hasPrefix(Self.root) else { return nil }
        let names = path.dropFirst(Self.root.count).split(separator: "/", omittingEmptySubsequences: false).map(
            String.init)
        guard names.first?.isEmpty ?? true, names.dropFirst().allSatisfy(Self.isName) else { return nil }
        switch (names.count, names.dropFirst().first) {
        case (1, nil): self = .service
        case (3, "collection"): self = .collection(names[2])
        case (4, "collection"): self = .item(collection: names[2], names[3])
        case (3, "aliases"), (4, "aliases"):
            guard let collection = aliases[names[2]] else { return nil }
            self = names.count == 3 ? .collection(collection) : .item(collection: collection, names[3])
        case (3, "session"): self = .session(names[2])
        case (3, "prompt"): self = .prompt(names[2])
        default: return nil
        }
    }

    var path: String {
        switch self {
        case .service: Self.root
        case .collection(let name): "\(Self.root)/collection/\(name)"
        case .item(let collection, let name): "\(Self.root)/collection/\(collection)/\(name)"
        case .session(let name): "\(Self.root)/session/\(name)"
        case .prompt(let name): "\(Self.root)/prompt/\(name)"
        }
    }

    /// Its name if it is a collection.
    var ifCollection: String? { if case .collection(let name) = self { name } else { nil } }

    /// The name of the collection that it is, or is in.
    var collection: String? {
        switch self {
        case .collection(let name), .item(let name, _): name
        default: nil
        }
    }

    /// The interfaces whose methods it has: its own, and gnome-keyring's of the service.
    var interfaces: [SecretInterface] { self == .service ? [.service, .keyring] : [interface] }

    /// The interface of its own.
    var interface: SecretInterface {
        switch self {
        case .service: .service
        case .collection: .collection
        case .item: .item
        case .session: .session
        case .prompt: .prompt
        }
    }

    /// A name that may stand in a path for a text: letters and digits stay, every other byte becomes `_` and two
    /// digits.
    static func name(of text: String) -> String {
        text.utf8.map { byte in
            let letter = Character(UnicodeScalar(byte))
            if letter.isASCII && (letter.isLetter || letter.isNumber) { return String(letter) }
            let digits = String(byte, radix: 16)
            return "_" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }

    /// Whether a text can stand in a path as it is.
    static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                let letter = Character(UnicodeScalar(byte))
                return letter.isASCII && (letter.isLetter || letter.isNumber) || letter == "_"
            }
    }
}

/// The interfaces of the Secret Service API, draft 0.2 (specifications.freedesktop.org/secret-service), and one of
/// gnome-keyring's.
enum SecretInterface: String, CaseIterable {
    case service = "org.freedesktop.Secret.Service"
    case collection = "org.freedesktop.Secret.Collection"
    case item = "org.freedesktop.Secret.Item"
    case session = "org.freedesktop.Secret.Session"
    case prompt = "org.freedesktop.Secret.Prompt"
    /// By this one seahorse changes passwords.
    case keyring = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
}

/// The interfaces that every object has.
enum StandardInterface {
    static let properties = "org.freedesktop.DBus.Properties"
    static let introspection = "org.freedesktop.DBus.Introspectable"
}
