import CommandOptions
import KeychainModel

/// `list`: the items of all programs in columns, narrowed by words and filters.
struct ListItems {
    private let session: Session
    private let arguments: ParsedArguments
    private let filter: ItemFilter
    private let order: ItemOrder?
    private let limit: Int

    static let command = Command(
        "list", "List items, narrowed by words and filters.",
        synopsis: "[word ...] [kind:K] [group:G] [program:P] [account:A] [changed:<7d] [expired:yes] [options...]",
        options: [
            ColourChoice.option,
            CommandOption("e", word: "fail-empty", "Exit with 44 when nothing is found."),
            CommandOption("H", word: "heading", "Print the heading also where the output is no terminal."),
            CommandOption(
                "k", word: "sort", value: "column", "Sort by name, kind, account, group, changed or created."),
            CommandOption("l", word: "long", "Also show when items were made, expire and open."),
            CommandOption("n", word: "limit", value: "number", "Show so many items at most."),
            CommandOption("r", word: "reverse", "Reverse the order."),
        ],
        notes: [
            """
            Words are looked for in service, server, label and account. Capitals and small letters are the same, \
            full-width letters are plain ones, and accents make no difference. deploy/ci also finds the account ci of \
            deploy. Kinds are pass, inet, cert, key, ident and deleted; deleted items are those of this command, and \
            were changed when they were deleted. changed:<7d is newer than seven days, changed:>30d older; units are \
            h, d, w, m and y; changed:>2026-01-31 is since that day. Only keys have a moment at which they expire. \
            changed and created sort the newest first. A terminal gets columns, sorted by name. Everything else gets \
            tabs and ISO dates, without a heading, as the keychain has them unless --sort is given; --json an object a \
            line. Control characters in names are written as \\x1b or \\u202e. The number of items goes to standard \
            error. Of anchored programs' items nothing is shown, but to root.
            """
        ],
        exits: [(0, "Also when nothing is found."), (44, "Nothing is found, with -e.")],
        examples: ["security list github", "security list kind:pass 'changed:<7d' --sort changed"],
        operands: 0...Int.max, layer: .people
    ) { arguments, session throws(CommandFailure) in try ListItems(arguments, session).run() }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.arguments, self.session) = (arguments, session)
        try session.takeColour(arguments)
        filter = try ItemFilter(arguments.operands, now: session.now())
        order = try arguments.value("k").map { (word) throws(CommandFailure) in try ItemOrder(word.text) }
        guard let number = arguments.value("n")?.text else {
            limit = Int.max
            return
        }
        guard let count = Int(number), count > 0 else { throw .usage("\"\(number)\" is no number of items") }
        limit = count
    }

    private func run() throws(CommandFailure) {
        let isForPeople = session.output.isTerminal && !session.writesJSON
        let isSorted = isForPeople || order != nil || arguments.has("r")
        if arguments.has("H"), !isForPeople, !session.writesJSON {
            session.output.write(shown: ItemColumns.heading(isLong: arguments.has("l")))
        }
        var (found, columns) = ([ListedItem](), nil as ItemColumns?)
        var counts = try visit { item, number, own in
            let known = columns ?? ItemColumns(session: session, own: own, isLong: arguments.has("l"))
            columns = known
            if isSorted { found.append(item) } else if number <= limit { writeLine(of: item, known) }
        }
        let items = sorted(found)
        if isSorted, let columns { writeAll(items, columns, isForPeople) }
        if isForPeople { try session.keepRows(of: items, "list") }
        counts.shown = min(counts.shown, limit)
        reportCounts(counts)
        if counts.shown == 0, arguments.has("e") { throw .refused(call: "list", .nothingListed) }
    }

    /// The numbers of items for the last line.
    private struct Counts {
        var shown = 0
        var all = 0
        /// Some items could not be read.
        var areSealed = false
    }

    /// Visits the items that match, each with its number. The daemon is asked for this command's groups only
    /// where there are items.
    private func visit(_ body: (ListedItem, Int, OwnGroups) -> Void) throws(CommandFailure) -> Counts {
        var (listing, counts, own) = (KeychainListing(session, "list"), Counts(), nil as OwnGroups?)
        let now = session.now()
        let look = { (item: ListedItem) throws(CommandFailure) in
            counts.all += 1
            if own == nil { own = try OwnGroups(session, "list") }
            guard let known = own, filter.matches(item, now: now), filter.isMet(by: item.group, known) else { return }
            counts.shown += 1
            body(item, counts.shown, known)
        }
        try listing.visit(filter.classes, look)
        if filter.wantsDeleted { try listing.visitDeleted(look) }
        counts.areSealed = !listing.locked.isEmpty
        return counts
    }

    private func sorted(_ items: [ListedItem]) -> [ListedItem] {
        let sorted = ItemTable(items).sorted(by: order ?? .name).map { items[Int($0)] }
        return Array((arguments.has("r") ? sorted.reversed() : sorted).prefix(limit))
    }

    private func writeAll(_ items: [ListedItem], _ columns: ItemColumns, _ isForPeople: Bool) {
        guard isForPeople else { return items.forEach { writeLine(of: $0, columns) } }
        guard !items.isEmpty else { return }
        let room = session.output.columns(session.environment)
        var lines = columns.lines(of: items, room: room)[...]
        // A narrow terminal gets no heading.
        if lines.count == items.count + 1, let heading = lines.popFirst() {
            session.output.write(shown: session.styled(heading, .heading, for: session.output))
        }
        for line in lines { session.output.write(shown: line) }
    }

    private func writeLine(of item: ListedItem, _ columns: ItemColumns) {
        if session.writesJSON {
            session.output.write(columns.json(of: item))
        } else {
            session.output.write(shown: columns.line(item))
        }
    }

    private func reportCounts(_ counts: Counts) {
        guard !session.isQuiet, !session.writesJSON else { return }
        let isWhole = filter.isEmpty && counts.shown == counts.all
        let (shown, all) = (counts.shown.grouped, counts.all.grouped)
        let count: Words =
            switch (isWhole, counts.all) {
            case (true, 1): "1 item."
            case (true, _): "\(all) items."
            case (false, 1): "\(shown) of 1 item."
            case (false, _): "\(shown) of \(all) items."
            }
        // How many there are is not said: some may be those of anchored programs.
        let sealed: [Words] = counts.areSealed ? ["Others are sealed until the keychain is unlocked."] : []
        let hint = counts.shown == 0 ? filter.hint.map { [$0] } ?? [] : []
        let sentences = [count] + sealed + hint
        session.output.flush()
        session.diagnostics.write(sentences.map(session.text).joined(separator: " ") + "\n")
    }
}

extension BinaryInteger {
    /// The number with a comma between each three digits.
    var grouped: String {
        var digits = String(self)
        var place = digits.count - 3
        while place > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
            place -= 3
        }
        return digits
    }
}

extension Refusal {
    fileprivate static let nothingListed = Refusal(
        .itemNotFound, Rule(rawValue: "command.nothing-listed"), "list", "No item has all these words.",
        do: "`security list` without words shows all items.")
}
