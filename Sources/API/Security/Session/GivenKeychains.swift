internal import KeychainClient
internal import KeychainModel

/// The keychains in a program's dictionaries and arrays (rules keychains.list.*).
extension SecKeychain {
    /// More than a user has; a longer list is a mistake.
    static let longestList = 256

    /// The keychain that a program gives.
    ///
    /// - Parameter name: the constant or the argument that has it.
    /// - Throws: `errSecInvalidKeychain` for any other object.
    static func given(_ object: Any, _ name: String) throws(Refusal) -> SecKeychain {
        if let keychain = object as? SecKeychain { return keychain }
        throw Refusal(
            .invalidKeychain, .wrongType, name, "\(name) has something else where a SecKeychain is needed.",
            do: "Use what SecKeychainOpen, SecKeychainCopyDefault or SecKeychainCopySearchList returns.")
    }

    /// The keychains of an array, each once, in order.
    ///
    /// - Parameter name: the constant or the argument that has it.
    /// - Throws: `errSecParam` for another object than an array, and for one that is too long;
    ///   `errSecInvalidKeychain` for an element that is no keychain.
    static func list(_ object: Any, _ name: String) throws(Refusal) -> [SecKeychain] {
        guard let array = object as? NSArray else {
            throw Refusal(
                .param, .wrongType, name, "\(name) is not an array.", do: "Give an array of SecKeychain objects.")
        }
        guard array.count <= longestList else {
            throw Refusal(
                .param, .tooLarge, name, "\(name) has \(array.count) keychains, and at most \(longestList) are taken.",
                do: "Leave out those that are not needed.")
        }
        var (keychains, known): ([SecKeychain], Set<SecKeychain>) = ([], [])
        for element in array {
            let keychain = try given(element, name)
            if known.insert(keychain).inserted { keychains.append(keychain) }
        }
        return keychains
    }
}

extension AuthenticationUse {
    /// The same for one keychain of a list.
    func of(_ keychain: SecKeychain) -> AuthenticationUse {
        var use = self
        (use.keychain, use.searchList) = (keychain, nil)
        return use
    }

    /// Takes the one keychain of a list for a change. A change of several would not be one: the first might be changed
    /// when the second is refused.
    ///
    /// - Throws: `errSecParam` for a list of several keychains; `errSecItemNotFound` for an empty one.
    mutating func takeOnlyKeychain() throws(Refusal) {
        guard let list = searchList else { return }
        guard let first = list.first else { throw .emptySearchList }
        guard list.count == 1 else { throw .severalKeychains }
        self = of(first)
    }
}

extension KeychainSession {
    /// Runs `body` in the keychains of the search list, in order, until one has an item; without a list, in the
    /// request's one keychain.
    ///
    /// - Throws: `errSecItemNotFound` when none has it. If one is locked, and no other has the item, its refusal. Any
    ///   other refusal at once.
    static func inFirst<Answer>(
        _ use: AuthenticationUse,
        _ body: (any KeychainConnection, AuthenticationUse) throws(Refusal) -> Answer
    ) throws(Refusal) -> Answer {
        guard let keychains = use.searchList else {
            return try asking(use) { (session) throws(Refusal) in try body(session, use) }
        }
        var (missing, locked): (Refusal, Refusal?) = (.emptySearchList, nil)
        for keychain in keychains {
            let use = use.of(keychain)
            do throws(Refusal) {
                return try asking(use) { (session) throws(Refusal) in try body(session, use) }
            } catch {
                guard error.status == .itemNotFound || error.rule == .locked else { throw error }
                if error.rule == .locked { locked = locked ?? error } else { missing = error }
            }
        }
        throw locked ?? missing
    }
}

extension Refusal {
    static let emptySearchList = Refusal(
        .itemNotFound, .notFound, "m_SearchList", "kSecMatchSearchList is empty, so no keychain was searched.",
        do: "Name a keychain in it, or leave it out.")

    fileprivate static let severalKeychains = Refusal(
        .param, .notAllowedHere, "m_SearchList",
        "A change or a deletion is for one keychain, and the list has several.",
        do: "Repeat the call for each of them.")
}
