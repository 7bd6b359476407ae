import CommandOptions
import KeychainClient
import KeychainModel

/// `list-keychains`, `default-keychain` and `login-keychain`.
enum KeychainLists {
    static let list = Command(
        "list-keychains", "Show or set the search list of keychains.",
        synopsis: "[-d domain] [-s [keychains...]] | --orphans",
        options: [
            KeychainDomain.option, CommandOption("s", "Set the list to these keychains; without one, to none."),
            CommandOption("o", word: "orphans", "Show the stores whose name file has gone, with the path it had."),
        ],
        notes: [
            """
            find-, delete- and dump- commands look in these keychains in order, where no keychain is named. Programs \
            that use the library are not steered by the list. A name that does not exist changes nothing and is \
            refused, unless the list has it already. A keychain that does not open is named and left out of a search.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        let domain = try KeychainDomain(arguments)
        if arguments.has("o") { return try showOrphans(session) }
        guard arguments.has("s") else {
            guard arguments.operands.isEmpty else { throw .usage(nil) }
            return show(try paths(domain, session), session)
        }
        try domain.checkChange()
        let places = try places(arguments.operands, session)
        try change(session) { $0.search = places }
    }

    static let standard = Command(
        "default-keychain", "Show or set the default keychain.", synopsis: "[-d domain] [-s [keychain]]",
        options: [
            KeychainDomain.option, CommandOption("s", "Set the default; without a keychain, back to login's."),
        ],
        notes: ["New items of add- commands go there. A default that was deleted is login's again."], operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let domain = try KeychainDomain(arguments)
        guard arguments.has("s") else {
            guard arguments.operands.isEmpty else { throw .usage(nil) }
            return show(domain == .user ? [try standardPath(session)] : domain.fixed, session)
        }
        try domain.checkChange()
        guard let name = arguments.operands.first else { return try change(session) { $0.standard = .login } }
        let place = try place(name, "SecKeychainSetDefault", session)
        try change(session) { $0.standard = place }
    }

    static let login = Command(
        "login-keychain", "Show the login keychain.", synopsis: "[-d domain]",
        options: [KeychainDomain.option, CommandOption("s", "Refused: the login keychain is always the same.")],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        let domain = try KeychainDomain(arguments)
        guard !arguments.has("s") else {
            throw .failed(
                "the login keychain cannot be set", remedy: "Set the default instead (security default-keychain -s).")
        }
        guard arguments.operands.isEmpty else { throw .usage(nil) }
        show(domain == .user ? [loginPath(session)] : domain.fixed, session)
    }

    private static func show(_ paths: [String], _ session: Session) {
        if session.writesJSON { return session.output.write(.array(paths.map { .string($0) })) }
        for path in paths { session.output.write("    \(path.quoted)\n") }
    }

    private static func showOrphans(_ session: Session) throws(CommandFailure) {
        let orphans = try performing("SecKeychainCopySearchList") { () throws(Refusal) in
            try session.named?.orphans() ?? []
        }
        if session.writesJSON {
            return session.output.write(
                .array(
                    orphans.map {
                        .object([("identifier", .string($0.identifier.description)), ("path", .string($0.path))])
                    }))
        }
        for orphan in orphans { session.output.write("    \(orphan.identifier) \(orphan.path.quoted)\n") }
    }
}

/// The list behind the commands.
extension KeychainLists {
    private static func loginPath(_ session: Session) -> String { session.named?.loginPath ?? "login.keychain-db" }

    private static func paths(_ domain: KeychainDomain, _ session: Session) throws(CommandFailure) -> [String] {
        guard domain == .user else { return domain.fixed }
        guard let named = session.named else { return [loginPath(session)] }
        return try performing("SecKeychainCopySearchList") { () throws(Refusal) in
            try named.list().search.map(named.path)
        }
    }

    private static func standardPath(_ session: Session) throws(CommandFailure) -> String {
        guard let named = session.named else { return loginPath(session) }
        return try performing("SecKeychainCopyDefault") { () throws(Refusal) in
            named.path(of: named.place(of: try named.standard()))
        }
    }

    private static func places(_ names: [Argument], _ session: Session) throws(CommandFailure) -> [SearchList.Place] {
        // Without one of them, what is stored there would be searched for in vain. Scripts give what the list has.
        let known = try session.named.map { named throws(CommandFailure) in
            try performing("SecKeychainCopySearchList") { () throws(Refusal) in try named.list().search }
        }
        var places: [SearchList.Place] = []
        for name in names {
            do throws(CommandFailure) { places.append(try place(name, "SecKeychainOpen \(name.text)", session)) } catch
            {
                guard let place = try? session.named?.place(named: name.text), known?.contains(place) == true else {
                    throw error
                }
                places.append(place)
            }
        }
        return places
    }

    private static func place(
        _ name: Argument, _ call: String, _ session: Session
    ) throws(CommandFailure) -> SearchList.Place {
        let keychain = try KeychainName.find(name.text, call, session)
        return session.named?.place(of: keychain) ?? .login
    }

    private static func change(
        _ session: Session, _ body: (inout SearchList) -> Void
    ) throws(CommandFailure) {
        let call = "SecKeychainSetSearchList"
        guard let named = session.named else { throw .refused(call: call, .noNamedKeychains) }
        try performing(call) { () throws(Refusal) in try named.changeList(body) }
    }

    private static func performing<Result>(
        _ call: String, _ body: () throws(Refusal) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(Refusal) { return try body() } catch { throw .refused(call: call, error) }
    }
}
