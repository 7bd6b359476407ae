import CommandOptions
import KeychainModel
import KeychainWire

/// `rm` and `purge`: delete items, with and without a way back.
struct RemoveItems {
    private let session: Session
    private let names: [ItemName]
    private let isConfirmed: Bool
    private let verb: String

    private static let confirmation = CommandOption("y", word: "yes", "Do not ask.")
    private static let exits: [(status: UInt8, meaning: String)] = [
        (1, "Several items match, or nobody has confirmed it; nothing is deleted."),
        (44, "An item was not found; nothing is deleted."),
    ]

    static let remove = Command(
        "rm", "Delete items; undelete brings them back.", synopsis: "item ... [-y]", options: [confirmation],
        notes: ItemName.notes + [
            """
            The words must be the whole name of an item here. One question is asked for all. Items of this device only \
            have no earlier versions, and cannot be brought back.
            """
        ],
        exits: exits, examples: ["security rm deploy/ci"], operands: 1...Int.max, layer: .people
    ) { arguments, session throws(CommandFailure) in try run("rm", arguments, session) }

    static let purge = Command(
        "purge", "Delete items for ever, with their earlier versions.", synopsis: "item ... [-y]",
        options: [confirmation],
        notes: ItemName.notes + [
            """
            The words must be the whole name of an item here. A deleted item is purged by its name too. One question \
            is asked for all, at the terminal.
            """
        ],
        exits: exits, examples: ["security purge deploy/ci"], operands: 1...Int.max, layer: .people
    ) { arguments, session throws(CommandFailure) in try run("purge", arguments, session) }

    private static func run(
        _ verb: String, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        var names: [ItemName] = []
        for word in arguments.operands { names.append(try ItemName(word)) }
        let removal = RemoveItems(session: session, names: names, isConfirmed: arguments.has("y"), verb: verb)
        guard removal.isConfirmed || Question(session).canBeAsked else {
            throw .failed(
                "\(verb): there is no terminal to ask at", cause: "Deleting must be confirmed.",
                remedy: "Confirm it with -y.")
        }
        try UnlockOffer(session).run { () throws(CommandFailure) in try removal.run() }
    }

    private func run() throws(CommandFailure) {
        let (items, deleted) = try found()
        let own = try OwnGroups(session, verb)
        for item in items { try own.require(item, verb) }
        let titles = (items + deleted).map(\.title)
        let goesOn = isConfirmed ? true : try isAnswered(titles)
        guard goesOn else {
            throw .failed(
                "\(verb): nothing was deleted", cause: "The question was not answered with yes.",
                remedy: "Answer yes, or confirm it with -y.")
        }
        if let first = (items + deleted).first { try session.turn(to: first.keychain, verb) }
        try session.asOneThing(verb) { () throws(CommandFailure) in
            for item in items {
                try ItemAccess(session, verb).delete(item: item, leavingVersions: verb == "rm")
                reportDeletion(of: item)
            }
            for item in deleted {
                try ItemAccess(session, verb).forget(item)
                reportDeletion(of: item)
            }
        }
    }

    /// The items, and for `purge` those that are deleted already.
    private func found() throws(CommandFailure) -> (items: [ListedItem], deleted: [ListedItem]) {
        let search = NameSearch(session, verb, exactly: true)
        guard verb == "purge" else { return (try search.all(names), []) }
        var (items, deleted) = ([ListedItem](), [ListedItem]())
        for name in names {
            do throws(CommandFailure) { items.append(try search.only(name)) } catch {
                guard error.isStatus(.itemNotFound) else { throw error }
                deleted += try search.allDeleted([name])
            }
        }
        return (items, deleted)
    }

    private func isAnswered(_ titles: [String]) throws(CommandFailure) -> Bool {
        let list = titles.count == 1 ? titles[0] : "\(titles.count) items: \(titles.joined(separator: ", "))"
        let ending = verb == "purge" ? " for ever" : ""
        return try Question(session).isAnswered("Delete \(list)\(ending)?", with: "yes", orOption: "-y")
    }

    private func reportDeletion(of item: ListedItem) {
        if session.writesJSON {
            return session.output.write(
                .object([("deleted", .string(item.title)), ("ref", .string(item.encodedReference))]))
        }
        let back = item.uri.flatMap(ShellWord.quoted).map { " `security undelete \($0)` brings it back." } ?? ""
        let way = verb == "purge" || !item.leavesVersions ? " It cannot be brought back." : back
        session.output.write(shown: session.text("Deleted \(item.title).\(way)"))
    }
}
