import KeychainModel
import KeychainWire
import LinuxSystem

/// Adds logins of another program to the keychain.
///
/// All are read before anything is added. Logins that the keychain has already are left out, so an import that was cut
/// goes on when it is repeated.
struct ImportLogins {
    private let session: Session
    private let source: LoginSource
    private let isTrial, replaces: Bool
    private let logins: [ImportedLogin]
    private var report: LoginReport
    /// The passwords that the keychain has of this import, or would have, by the identities of their logins.
    private var taken: [[UInt8]: SecretBytes] = [:]

    private static let call = "import-from"

    /// - Parameters:
    ///   - found: the logins, and what was left out of them.
    ///   - source: where they come from.
    ///   - isTrial: nothing is added.
    ///   - replaces: what the keychain has with another password gets the given one.
    /// - Throws: why something was not added; a failure without words when the report has named what was left out.
    static func add(
        found: (logins: [ImportedLogin], report: LoginReport), from source: LoginSource, isTrial: Bool,
        replaces: Bool, _ session: Session
    ) throws(CommandFailure) {
        var work = ImportLogins(
            session: session, source: source, isTrial: isTrial, replaces: replaces, logins: found.logins,
            report: found.report)
        do throws(CommandFailure) {
            try UnlockOffer(session).run { () throws(CommandFailure) in
                (work.report, work.taken) = (found.report, [:])
                try work.add()
            }
        } catch {
            // The items that have come stay, and a repetition goes on from there.
            if work.hasChanged { work.report.write(to: session, isTrial: isTrial) }
            throw error
        }
        work.report.write(to: session, isTrial: isTrial)
        guard work.report.isComplete else { throw .shown }
    }

    /// Whether the keychain has something of the import.
    private var hasChanged: Bool { !isTrial && report.added + report.replaced > 0 }

    // MARK: - The keychain

    private mutating func add() throws(CommandFailure) {
        let progress = Progress(Self.call, session)
        defer { progress?.end() }
        for (number, login) in logins.enumerated() {
            do throws(CommandFailure) { try take(login) } catch {
                // A login that is too large for an item keeps no other one out.
                guard error.isStatus(.param) else { throw error }
                report.refused.append((login.shownName, error.explanation.cause))
            }
            progress?.show("\(number + 1)/\(logins.count)")
        }
    }

    /// Of a login that comes twice the first stays: the second is compared with it, also in a trial.
    private mutating func take(_ login: ImportedLogin) throws(CommandFailure) {
        let (first, old) = (taken[login.identity], try existing(login))
        guard let there = first ?? old?.password else {
            if !isTrial { try store(login) }
            report.added += 1
            return taken[login.identity] = login.password
        }
        if there.isEqual(to: login.password) { return report.same += 1 }
        guard replaces, first == nil, let old else { return report.different.append(login.shownName) }
        if !isTrial { try change(old, login) }
        report.replaced += 1
        taken[login.identity] = login.password
    }

    private func existing(_ login: ImportedLogin) throws(CommandFailure) -> ItemResponse.Item? {
        do throws(CommandFailure) {
            return try send(.copyMatching) { (builder) throws(Refusal) in
                try builder.set(login)
                for key in ["r_Data", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            }.first
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    private func store(_ login: ImportedLogin) throws(CommandFailure) {
        _ = try send(.add) { (builder) throws(Refusal) in
            try builder.set(login)
            for (code, value) in login.description(from: source) { try builder.set(code, value) }
            try login.password.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        }
    }

    private func change(_ old: ItemResponse.Item, _ login: ImportedLogin) throws(CommandFailure) {
        _ = try send(.update) { (builder) throws(Refusal) in
            try builder.set("v_PersistentRef", old.reference)
            try login.password.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
        }
    }

    private func send(
        _ operation: ItemRequest.Operation, _ fill: (inout ItemRequestBuilder) throws(Refusal) -> Void
    ) throws(CommandFailure) -> [ItemResponse.Item] {
        try session.send(Self.call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(operation)
            try fill(&builder)
            return try builder.build()
        }.items
    }
}

extension ItemRequestBuilder {
    fileprivate mutating func set(_ login: ImportedLogin) throws(Refusal) {
        try set("class", .string(login.itemClass.code))
        for (code, value) in login.place { try set(code, value) }
    }
}
