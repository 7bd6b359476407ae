import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// Which items of a keychain can be carried to another one, and what came of it.
struct MigrationPlan {
    /// An item that is not moved, and why.
    struct Stay {
        let itemClass: ItemClass
        let name, group, reason: String
    }

    /// How many items of each group are to move, in the order of their names.
    var counts: [(group: String, count: Int)] { groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    var moving: Int { groups.values.reduce(0, +) }
    private(set) var staying: [Stay] = []
    /// Items that were to move, and were refused.
    private(set) var refused: [Stay] = []
    private var groups: [String: Int] = [:]

    /// Whether all that was found has moved.
    var leavesNothing: Bool { staying.isEmpty && refused.isEmpty }

    /// Looks at all items of a keychain.
    init(of source: MigrationEnd) throws(CommandFailure) {
        for itemClass in ItemClass.stored {
            for item in try source.items(of: itemClass) {
                let group = item.attributes[.accessGroup]?.string ?? ""
                if let reason = item.reasonToStay {
                    staying.append(Stay(itemClass: itemClass, name: item.name, group: group, reason: reason))
                } else {
                    groups[group, default: 0] += 1
                }
            }
        }
    }

    /// Carries what is to move, item by item: each is deleted when its copy is there, so that a run cut short leaves
    /// one item at most in both keychains.
    ///
    /// - Returns: how many were moved.
    mutating func carry(from source: MigrationEnd, to target: MigrationEnd) throws(CommandFailure) -> Int {
        var moved = 0
        for (group, _) in counts {
            for itemClass in ItemClass.stored { moved += try carry(itemClass, of: group, from: source, to: target) }
        }
        return moved
    }

    /// Page by page, so that no more than one is in memory. Items that are taken away lie before the next.
    private mutating func carry(
        _ itemClass: ItemClass, of group: String, from source: MigrationEnd, to target: MigrationEnd
    ) throws(CommandFailure) -> Int {
        var (moved, next): (Int, ItemRequest?) = (0, try source.values(of: itemClass))
        while let request = next, let page = try source.page(of: group, request) {
            for item in page.items where item.reasonToStay == nil {
                moved += try carry(item, of: group, from: source, to: target) ? 1 : 0
            }
            next = request.following(page)
        }
        return moved
    }

    /// - Returns: whether the item moved.
    private mutating func carry(
        _ item: ItemResponse.Item, of group: String, from source: MigrationEnd, to target: MigrationEnd
    ) throws(CommandFailure) -> Bool {
        let addition = try Self.request { () throws(Refusal) in try item.addition() }
        if let refusal = Self.refusal(in: try target.answer(to: addition, for: group)) {
            note(item, group, refusal.rule == .duplicate ? "there is such an item already" : refusal.problem)
            return false
        }
        let deletion = try Self.request { () throws(Refusal) in try item.deletion() }
        guard let refusal = Self.refusal(in: try source.answer(to: deletion, for: group)) else { return true }
        // Anything else ends the run: more items would come to be in both.
        guard refusal.rule == .notFound else { throw .refused(call: MigrateStore.call, refusal) }
        note(item, group, "it was changed after it had been copied")
        return false
    }

    private mutating func note(_ item: ItemResponse.Item, _ group: String, _ reason: String) {
        refused.append(Stay(itemClass: item.itemClass, name: item.name, group: group, reason: reason))
    }

    private static func refusal(in answer: ProgramAnswer) -> Refusal? {
        do throws(Refusal) { _ = try answer.get() } catch { return error }
        return nil
    }

    static func request(
        _ build: () throws(Refusal) -> ItemRequest
    ) throws(CommandFailure) -> ItemRequest {
        do throws(Refusal) { return try build() } catch { throw .refused(call: MigrateStore.call, error) }
    }
}

extension ProgramAnswer {
    func getOrFail() throws(CommandFailure) -> ItemResponse {
        do throws(Refusal) { return try get() } catch { throw .refused(call: MigrateStore.call, error) }
    }
}

extension MigrationPlan.Stay {
    var text: String { "\(itemClass.code) \(name.quoted) (\(group.isEmpty ? "no group" : group.printable)): \(reason)" }

    var json: JSONValue {
        .object([
            ("class", .string(itemClass.code)), ("name", .string(name)), ("group", .string(group)),
            ("reason", .string(reason)),
        ])
    }
}
