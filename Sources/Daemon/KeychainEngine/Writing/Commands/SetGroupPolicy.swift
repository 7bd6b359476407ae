import KeychainModel
import KeychainStore
import KeychainWire

/// Sets what becomes of a group's items when all its programs are gone.
struct SetGroupPolicy {
    let policy: GroupPolicy
    let group: String
    let writer: ItemWriter

    func run() throws(Refusal) {
        try writer.store.transaction { () throws(Refusal) in
            try GroupRecords(writer: writer).change(group) { record in
                record.policy = policy
                return true
            }
        }
    }
}
