import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

/// `SecItemUpdate` (rules items.update.all, items.update.rename): all matching items or none.
struct UpdateItems: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    func run() throws(Refusal) {
        let batch = try writer.rows(of: authorized, as: try itemClass(), by: deadline, withKeys: true)
        try openGuarded(in: batch)
        let asked = AskedAttributes(authorized)
        var (changed, notice) = (0, nil as Refusal?)
        for row in batch {
            guard let item = try writer.decryptedItem(of: row, withValue: true, asked: asked) else { continue }
            do throws(Refusal) { notice = try replace(item, row, by: request.changes).notice ?? notice } catch {
                // The others say first what they lack, so that the user is asked once.
                if error.status != .authNeeded || gate.missing.isEmpty { throw error }
            }
            changed += 1
        }
        try gate.throwIfMissing()
        guard changed > 0 else { throw .nothingFound(request) }
        answer(notice: notice)
    }
}
