import CommandOptions
import KeychainModel
import KeychainWire

/// The lists that macOS's command tells apart (`-d`). A name may be shortened.
enum KeychainDomain: String, CaseIterable {
    case user
    case system
    case common
    case dynamic

    static let option = CommandOption("d", value: "domain", "user (the default), system, common or dynamic.")

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a word that begins none.
    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        guard let word = arguments.value("d")?.text else {
            self = .user
            return
        }
        guard !word.isEmpty, let domain = Self.allCases.first(where: { $0.rawValue.hasPrefix(word) }) else {
            throw .usage("Invalid domain: \(word)")
        }
        self = domain
    }

    /// The keychains of a list that no user changes.
    var fixed: [String] {
        switch self {
        case .system: ["\(KeychainOwner.stores)/system/keychain.db"]
        case .user, .common, .dynamic: []
        }
    }

    /// - Throws: a failure for a list that users do not change.
    func checkChange() throws(CommandFailure) {
        guard self == .user else {
            throw .failed("the \(rawValue) list cannot be changed", remedy: "Leave -d out for your own list.")
        }
    }
}
