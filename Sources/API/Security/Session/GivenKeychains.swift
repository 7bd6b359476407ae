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
    /// - Throws: ``ListMisses/refusal`` when none has it. Any other refusal at once.
    static func inFirst<Answer>(
        _ use: AuthenticationUse,
        _ body: (any KeychainConnection, AuthenticationUse) throws(Refusal) -> (Answer, notice: Refusal?)
    ) throws(Refusal) -> (Answer, notice: Refusal?) {
        guard let keychains = use.searchList else {
            return try asking(use) { (session) throws(Refusal) in try body(session, use) }
        }
        var misses = ListMisses()
        for keychain in keychains {
            let use = use.of(keychain)
            do throws(Refusal) {
                let (answer, notice) = try asking(use) { (session) throws(Refusal) in try body(session, use) }
                return (answer, notice ?? misses.notice)
            } catch { try misses.take(error) }
        }
        throw misses.refusal
    }
}

/// Why keychains of a search list have given nothing. One that does not open hides nothing of those behind it, as on
/// macOS; where nothing is found, its refusal says that nobody knows what it has.
struct ListMisses {
    private var missing = Refusal.emptySearchList
    private var locked, unopened: Refusal?

    /// Takes the refusal of one keychain.
    ///
    /// - Throws: a refusal of the request, which no other keychain would answer otherwise.
    mutating func take(_ refusal: Refusal) throws(Refusal) {
        if refusal.status == .itemNotFound {
            missing = refusal
        } else if refusal.rule == .locked {
            locked = locked ?? refusal
        } else if refusal.isOfKeychain {
            unopened = unopened ?? refusal
        } else {
            throw refusal
        }
    }

    /// The refusal where no keychain has anything: that of the first that is locked, or else of the first that does
    /// not open, or that nothing was found.
    var refusal: Refusal { locked ?? unopened ?? missing }

    /// Says with a success which keychain was left out.
    var notice: Refusal? {
        unopened.map {
            Refusal(
                .success, $0.rule, $0.subject, "A keychain of kSecMatchSearchList was not searched. \($0.problem)",
                do: $0.remedy)
        }
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
