import KeychainModel
import KeychainWire
import LinuxSystem

/// Adds passwords of another program to the keychain.
///
/// All are read before anything is added. Those that the keychain has already are left out, so an import that was cut
/// goes on when it is repeated.
struct ImportLogins {
    private let session: Session
    private let source: LoginSource
    private let isTrial, replaces: Bool
    private let items: [ImportedItem]
    private var report: LoginReport
    /// The passwords that the keychain has of this import, or would have, by the identities of its items.
    private var taken: [[UInt8]: SecretBytes] = [:]

    private static let call = "import-from"

    /// - Parameters:
    ///   - found: the items, and what was left out of them.
    ///   - source: where they come from.
    ///   - isTrial: nothing is added.
    ///   - replaces: what the keychain has with another password gets the given one.
    /// - Throws: why something was not added; a failure without words when the report has named what was left out.
    static func add(
        found: (items: [ImportedItem], report: LoginReport), from source: LoginSource, isTrial: Bool,
        replaces: Bool, _ session: Session
    ) throws(CommandFailure) {
        var work = ImportLogins(
            session: session, source: source, isTrial: isTrial, replaces: replaces, items: found.items,
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
        for (number, item) in items.enumerated() {
            do throws(CommandFailure) { try take(item) } catch {
                // One that is too large for an item of the keychain keeps no other one out.
                guard error.isStatus(.param) else { throw error }
                report.refused.append((item.shownName, error.explanation.cause))
            }
            progress?.show("\(number + 1)/\(items.count)")
        }
    }

    /// Of an item that comes twice the first stays: the second is compared with it, also in a trial.
    private mutating func take(_ item: ImportedItem) throws(CommandFailure) {
        let (first, old) = (taken[item.identity], try existing(item))
        guard let there = first ?? old?.password else {
            if !isTrial { try store(item) }
            report.added += 1
            return taken[item.identity] = item.password
        }
        if there.isEqual(to: item.password) { return report.same += 1 }
        guard replaces, first == nil, let old else { return report.different.append(item.shownName) }
        if !isTrial { try change(old, item) }
        report.replaced += 1
        taken[item.identity] = item.password
    }

    private func existing(_ item: ImportedItem) throws(CommandFailure) -> ItemResponse.Item? {
        do throws(CommandFailure) {
            return try send(.copyMatching) { (builder) throws(Refusal) in
                try builder.set(item)
                for key in ["r_Data", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
            }.first
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    private func store(_ item: ImportedItem) throws(CommandFailure) {
        _ = try send(.add) { (builder) throws(Refusal) in
            try builder.set(item)
            for (code, value) in item.description { try builder.set(code, value) }
            try builder.set("desc", .string(source.kind))
            try item.password.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        }
    }

    private func change(_ old: ItemResponse.Item, _ item: ImportedItem) throws(CommandFailure) {
        _ = try send(.update) { (builder) throws(Refusal) in
            try builder.set("v_PersistentRef", old.reference)
            try item.password.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) }
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
    fileprivate mutating func set(_ item: ImportedItem) throws(Refusal) {
        try set("class", .string(item.itemClass.code))
        for (code, value) in item.place { try set(code, value) }
    }
}
