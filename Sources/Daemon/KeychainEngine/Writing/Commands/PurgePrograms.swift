import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire

/// Removes the items of groups that are to go with their programs, all of which are gone (rule
/// access-groups.removal.last).
struct PurgePrograms {
    /// Those that were removed; groups of others are not looked at.
    let programs: [String]
    let writer: ItemWriter

    /// - Returns: how many items went.
    func run() throws(Refusal) -> UInt64 {
        let store = writer.store
        var count: UInt64 = 0
        try store.transaction { () throws(Refusal) in
            for (digest, sealed) in try store.groupRecords() {
                guard let record = writer.registry.open(sealed, for: digest), record.policy == .purge,
                    record.possiblePrograms.contains(where: programs.containsExactly), record.isWithoutPrograms
                else { continue }
                let group = try store.digester.group(record.name)
                for itemClass in ItemClass.stored {
                    count += UInt64(clamping: try store.countItems(of: group, in: itemClass))
                    try store.deleteItems(of: group, from: itemClass)
                }
                try store.forgetVersions(of: group)
                try store.dropGroupRecord(group)
            }
        }
        return count
    }
}
