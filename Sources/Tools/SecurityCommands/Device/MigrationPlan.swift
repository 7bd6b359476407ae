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

    /// Carries what is to move; each item goes when its copy is there.
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
            for batch in MigrationBatches(page.items.filter { $0.reasonToStay == nil }) {
                moved += try carry(batch, of: group, from: source, to: target)
            }
            next = request.following(page)
        }
        return moved
    }

    private mutating func carry(
        _ items: [ItemResponse.Item], of group: String, from source: MigrationEnd, to target: MigrationEnd
    ) throws(CommandFailure) -> Int {
        var additions: [ItemRequest] = []
        for item in items { additions.append(try Self.request { () throws(Refusal) in try item.addition() }) }
        var deletions: [ItemRequest] = []
        for (item, answer) in zip(items, try target.work(group, additions)) {
            if let refusal = Self.refusal(in: answer) {
                note(item, group, refusal)
            } else {
                deletions.append(try Self.request { () throws(Refusal) in try item.deletion() })
            }
        }
        for answer in deletions.isEmpty ? [] : try source.work(group, deletions) { _ = try answer.getOrFail() }
        return deletions.count
    }

    private mutating func note(_ item: ItemResponse.Item, _ group: String, _ refusal: Refusal) {
        let reason = refusal.rule == .duplicate ? "there is such an item already" : refusal.problem
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

/// Items in runs of which each is a request: so many, and of so many bytes.
struct MigrationBatches: Sequence, IteratorProtocol {
    private var rest: ArraySlice<ItemResponse.Item>
    private static let bytes = 256 << 10

    init(_ items: [ItemResponse.Item]) { rest = items[...] }

    mutating func next() -> [ItemResponse.Item]? {
        var (batch, size) = ([ItemResponse.Item](), 0)
        while let item = rest.first, batch.count < ProgramWork.mostRequests {
            size += item.attributes.encodedCount
            if !batch.isEmpty, size > Self.bytes { break }
            batch.append(item)
            rest = rest.dropFirst()
        }
        return batch.isEmpty ? nil : batch
    }
}
