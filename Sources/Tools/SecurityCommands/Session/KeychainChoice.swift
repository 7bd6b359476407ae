import CommandOptions
import KeychainClient
import KeychainModel

/// The keychains that a command is about: those of its operands, else the one of `KEYCHAIN_KEYCHAIN`, else the default
/// for a command about one keychain, and the search list for a command that looks for something.
extension Session {
    private static let variable = CommandVariable.keychain.rawValue

    /// Goes on with the one keychain that a command is about.
    ///
    /// - Parameter name: the operand; nil for none.
    /// - Throws: `errSecNoSuchKeychain` or `errSecInvalidKeychain` for a name of none; why it cannot be reached.
    func turn(to name: Argument?, _ call: String) throws(CommandFailure) {
        try turn(to: try usualKeychain(call, name), call)
    }

    /// The one keychain that a command is about; that of the variable or the default one where it names none.
    func usualKeychain(_ call: String, _ name: Argument? = nil) throws(CommandFailure) -> ChosenKeychain {
        let chosen = try chosen(name.map { [$0] } ?? [], call)
        return chosen.isEmpty ? try standard(call) : chosen[0]
    }

    /// The keychains in which a command looks that names none.
    func searchList(_ call: String) throws(CommandFailure) -> [ChosenKeychain] {
        guard let named, !isForSystem else { return [.login] }
        do throws(Refusal) { return try named.searched() } catch { throw .refused(call: call, error) }
    }

    /// The keychain for new items.
    func standard(_ call: String) throws(CommandFailure) -> ChosenKeychain {
        guard let named, !isForSystem else { return .login }
        do throws(Refusal) { return try named.standard() } catch { throw .refused(call: call, error) }
    }

    /// The keychains that the names mean, or the variable where there are none.
    func chosen(_ names: [Argument], _ call: String) throws(CommandFailure) -> [ChosenKeychain] {
        let given = environment(Self.variable) ?? ""
        let names = names.isEmpty && !given.isEmpty && !isForSystem ? [Argument(given)] : names
        var chosen: [ChosenKeychain] = []
        for name in names { chosen.append(try KeychainName.find(name.text, call, self)) }
        return chosen
    }

    /// The name that prompts and messages have for the keychain of an operand.
    func shown(_ name: Argument?) -> String {
        if let name { return name.text }
        if case .named(let keychain) = place { return keychain.path }
        return "default"
    }

    /// The path that the dump of an item shows.
    func shownPath(_ call: String) throws(CommandFailure) -> String {
        if case .named(let keychain) = place { return keychain.path }
        return KeychainName.storePath(try status(call))
    }
}

extension ChosenKeychain {
    /// The name by which people know it: that of its file, without the ending.
    var name: String {
        let path: String
        switch self {
        case .login: return "login"
        case .named(let keychain): path = keychain.path
        case .unusable(let keychain): path = keychain.path
        }
        let file = path.split(separator: "/").last ?? ""
        let ending = [".keychain-db", ".keychain", "-db"].first { file.hasSuffix($0) } ?? ""
        return String(file.dropLast(ending.count))
    }
}

extension ParsedArguments {
    /// The keychains of a command that takes them as operands and behind `-k`.
    var keychains: [Argument] { values.filter { $0.letter == "k" }.compactMap(\.value) + operands }
}

extension CommandOption {
    /// The keychain that a command is about.
    static let keychain = CommandOption("k", value: "keychain", "The keychain; as an operand at the end.")
}

extension Refusal {
    static let nothingFound = Refusal(
        .itemNotFound, .notFound, "query", "No item has these attributes.",
        do: "See `security dump-keychain` for the items there are.")
}
