import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// The records of groups, as the writing thread keeps them.
struct GroupRecords {
    let writer: ItemWriter

    private var store: StoreWriter { writer.store }
    private var registry: GroupRegistry { writer.registry }

    /// Writes down which programs were seen.
    func write(_ activity: [ProgramActivity.ProgramUse]) throws(Refusal) {
        guard !activity.isEmpty else { return }
        try store.transaction { () throws(Refusal) in
            for programUse in activity {
                try change(programUse.group.text) { record in
                    record.note(programUse.program.text, programUse.provenance, on: programUse.day)
                }
            }
        }
    }

    /// The record of a group; nil when there is none, or it does not open.
    private func record(of group: String) throws(Refusal) -> GroupRecord? {
        let digest = try store.digester.group(group)
        return try store.groupRecord(digest).flatMap { registry.open($0, for: digest.bytes) }
    }

    /// Whether a program of a group was seen, or is named by it, and is still there.
    func hasPrograms(_ group: String) throws(Refusal) -> Bool {
        let record = try record(of: group) ?? GroupRecord(group)
        return !record.possiblePrograms.isEmpty && !record.isWithoutPrograms
    }

    /// Changes what is known of a group, inside a transaction.
    ///
    /// - Parameter body: false leaves it as it was.
    func change(_ group: String, _ body: (inout GroupRecord) -> Bool) throws(Refusal) {
        var record = try record(of: group) ?? GroupRecord(group)
        guard body(&record) else { return }
        let digest = try store.digester.group(group)
        try store.keep(groupRecord: try registry.seal(record, for: digest.bytes), for: digest)
    }

    /// A group that has the name of another takes over what was known of it.
    func rename(_ group: String, to name: String) throws(Refusal) {
        guard let old = try record(of: group) else { return }
        try change(name) { record in
            record.policy = old.policy
            for program in old.programs where !record.programs.map(\.path).containsExactly(program.path) {
                record.programs.append(program)
            }
            return true
        }
        try store.dropGroupRecord(try store.digester.group(group))
    }

    /// The groups that have items, with what is known of them; those whose names nobody can tell now are left out.
    func groupsWithItems() throws(Refusal) -> [(record: GroupRecord, items: UInt64)] {
        var items: [[UInt8]: UInt64] = [:]
        for itemClass in ItemClass.stored {
            try store.countItemsOfGroups(in: itemClass) { items[$0, default: 0] += UInt64(clamping: $1) }
        }
        var records: [[UInt8]: GroupRecord] = [:]
        for (digest, sealed) in try store.groupRecords() { records[digest] = registry.open(sealed, for: digest) }
        var found: [(record: GroupRecord, items: UInt64)] = []
        for (digest, count) in items {
            if let record = records[digest] {
                found.append((record, count))
            } else if let name = try name(of: digest) {
                found.append((GroupRecord(name), count))
            }
        }
        return found.sorted { $0.record.name < $1.record.name }
    }

    /// Whether there are items of groups besides these: groups whose names nobody can tell while their items are
    /// closed.
    func hasClosedGroups(besides groups: [(record: GroupRecord, items: UInt64)]) throws(Refusal) -> Bool {
        var known: Set<[UInt8]> = []
        for group in groups { known.insert(try store.digester.group(group.record.name).bytes) }
        var unknown: Set<[UInt8]> = []
        try store.countItemsOfGroups(in: LookupAttributes.itemClass) { group, _ in
            if !known.contains(group) { unknown.insert(group) }
        }
        for digest in unknown where try isClosed(digest) { return true }
        return false
    }

    /// Whether the items of a group do not open now, which is no damage.
    private func isClosed(_ digest: [UInt8]) throws(Refusal) -> Bool {
        let batch = RowBatch()
        try store.someRows(of: digest, in: LookupAttributes.itemClass) { batch.append($0) }
        for row in batch {
            do throws(Refusal) { _ = try writer.decryptedItem(of: row, withValue: false) } catch { return true }
        }
        return false
    }

    /// The name of a group that nothing was written down about, from an item that opens now.
    private func name(of digest: [UInt8]) throws(Refusal) -> String? {
        for itemClass in ItemClass.stored {
            let batch = RowBatch()
            try store.someRows(of: digest, in: itemClass) { batch.append($0) }
            for row in batch {
                let item: PlainItem?
                do throws(Refusal) { item = try writer.decryptedItem(of: row, withValue: false) } catch { continue }
                if let name = item?.attributes[.accessGroup]?.string { return name }
            }
        }
        return nil
    }
}

extension ColumnDigest {
    var bytes: [UInt8] { span.array(0, 16) }
}
