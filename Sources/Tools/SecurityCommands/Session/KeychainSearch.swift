import CommandOptions
import KeychainClient
import KeychainModel

/// Looking through keychains in order. One that does not open hides nothing of those behind it: it is named on standard
/// error, and its failure is that of the command where nothing is found.
extension Session {
    /// Runs something in each of the keychains in which a command looks, in order.
    ///
    /// - Parameter hasFound: whether there is something, when all have been looked at.
    /// - Throws: the failure of one that does not open, where it was named, no other opens, or nothing was found; any
    ///   other failure at once.
    func inEach(
        _ names: [Argument], _ call: String, hasFound: () -> Bool = { true }, _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let named = try chosen(names, call)
        let keychains = named.isEmpty ? try searchList(call) : named
        let unopened = try visit(keychains, call, body)
        let isFound = named.isEmpty && unopened.count < keychains.count && hasFound()
        try end(unopened, mayGoOn: isFound)
    }

    /// Runs something in the login keychain and in all of the search list.
    ///
    /// - Throws: the failure of one that does not open, after all others; any other failure at once.
    func inAll(_ call: String, _ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        let others = try searchList(call).filter { $0 != .login }
        try end(try visit([.login] + others, call, body), mayGoOn: false)
    }

    /// Runs something in one keychain after the other until one has what is looked for.
    ///
    /// - Throws: `errSecItemNotFound` when none has it. When no other has it, the refusal of a locked one, which may
    ///   have it, or else the failure of one that does not open; any other failure at once.
    func inFirst(
        _ names: [Argument], _ call: String, _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let named = try chosen(names, call)
        try inFirst(of: named.isEmpty ? try searchList(call) : named, call, body)
    }

    /// The same in given keychains.
    func inFirst<Answer>(
        of keychains: [ChosenKeychain], _ call: String, _ body: () throws(CommandFailure) -> Answer
    ) throws(CommandFailure) -> Answer {
        var locked: Unusable?
        var unopened: [Unusable] = []
        var missing = CommandFailure.refused(call: call, .nothingFound)
        for keychain in keychains {
            do throws(CommandFailure) {
                try turn(to: keychain, call)
                let answer = try body()
                try end(unopened, mayGoOn: true)
                return answer
            } catch {
                if error.isStatus(.itemNotFound) {
                    missing = error
                } else if error.isLocked {
                    locked = locked ?? (keychain, error)
                } else if error.isOfKeychain {
                    unopened.append((keychain, error))
                } else {
                    throw error
                }
            }
        }
        try end(unopened, mayGoOn: locked != nil)
        guard let locked else { throw missing }
        // An offer to unlock it is about this one.
        try turn(to: locked.keychain, call)
        throw locked.failure
    }

    private typealias Unusable = (keychain: ChosenKeychain, failure: CommandFailure)

    /// - Returns: those that do not open.
    private func visit(
        _ keychains: [ChosenKeychain], _ call: String, _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> [Unusable] {
        var unopened: [Unusable] = []
        for keychain in keychains {
            do throws(CommandFailure) {
                try turn(to: keychain, call)
                try body()
            } catch {
                guard error.isOfKeychain else { throw error }
                unopened.append((keychain, error))
            }
        }
        return unopened
    }

    /// Names each keychain that does not open, once, and why it does not.
    ///
    /// - Throws: the failure of the first one, where the command may not go on without it.
    private func end(_ unopened: [Unusable], mayGoOn: Bool) throws(CommandFailure) {
        for (index, one) in unopened.enumerated() where unopenedKeychains.insert(one.keychain).inserted {
            let isThrown = index == 0 && !mayGoOn
            // The failure of the login keychain says enough.
            if !isThrown || one.keychain != .login { name(one, withReason: !isThrown) }
        }
        if let first = unopened.first, !mayGoOn { throw first.failure }
    }

    private func name(_ unopened: Unusable, withReason: Bool) {
        guard namesUnopened, !isQuiet else { return }
        let path = shownPath(of: unopened.keychain)
        if writesJSON { return diagnostics.write(.object([("unopened", .string(path))])) }
        complain("the keychain \(path) does not open")
        guard withReason else { return }
        giveReasons(unopened.failure.explanation.cause, unopened.failure.explanation.remedy)
    }

    /// The path by which the search list has a keychain.
    func shownPath(of keychain: ChosenKeychain) -> String {
        switch keychain {
        case .login: named?.loginPath ?? "login.keychain"
        case .named(let keychain): keychain.path
        case .unusable(let keychain): keychain.path
        }
    }
}

extension CommandFailure {
    /// Whether the keychain has refused because it is locked.
    var isLocked: Bool {
        if case .refused(_, let refusal) = self { refusal.rule == .locked } else { false }
    }

    /// Whether it was the user who did not answer in time.
    var isOfUser: Bool {
        if case .refused(_, let refusal) = self { refusal.isOfUser } else { false }
    }

    /// Whether it is a keychain that cannot be used, and not what was asked of it.
    var isOfKeychain: Bool {
        if case .refused(_, let refusal) = self { refusal.isOfKeychain } else { false }
    }
}
