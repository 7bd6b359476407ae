import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// `SecItemAdd` of an identity: two items in the one transaction of the request (rule items.identity.add).
struct AddIdentity: RequestedWrite {
    let writer: ItemWriter
    let write: AuthorizedWrite

    /// Adds the certificate, then the key. One of them may be there already, but not both.
    func run() throws(Refusal) {
        var kept: [PlainItem] = []
        var added = 0
        for part in authorized.parts {
            let item = try newItem(part, uuid: Randomness.bytes(RowKeyRecord.rowBytes))
            let row = try seal(item)
            if try isPut(row) {
                added += 1
                kept.append(item)
            } else {
                kept.append(try occupant(of: row) ?? item)
            }
        }
        guard added > 0 else { throw .duplicateIdentity }
        answer { response in
            guard !request.returns.isEmpty, kept.count == 2 else { return }
            let identity = Identity(certificate: kept[0].entries(), key: kept[1].entries(), uuid: kept[0].uuid)
            response.append(identity, request.returns)
        }
    }

    private func isPut(_ row: NewRow) throws(Refusal) -> Bool {
        do throws(Refusal) { try writer.put(row, at: nil) } catch {
            guard error.rule == .duplicate else { throw error }
            return false
        }
        return true
    }

    /// The item that has a new row's place; nil when it cannot be opened now.
    private func occupant(of row: NewRow) throws(Refusal) -> PlainItem? {
        let batch = RowBatch()
        try store.occupant(of: row.primaryKey, in: row.itemClass) { batch.append($0) }
        // Nobody is asked for what is there already.
        guard let found = batch.first, !found.isGuarded else { return nil }
        try batch.keys.unwrap(by: sealer.enclave)
        return try writer.decryptedItem(of: found, withValue: true)
    }
}

extension PlainItem {
    /// Attributes and value, or the key in its place, in one list.
    fileprivate func entries() -> AttributeList {
        let buffer = SecretBuffer(capacity: 2048)
        encoded().withEncoded { buffer.append($0) }
        value?.withSpan { buffer.append(.valueData, .data, $0) }
        if let sealedKey { buffer.append(.sealedKey, .data(sealedKey.bytes)) }
        // The code can parse its own encoding.
        return (try? AttributeList(parsing: buffer.copy())) ?? .empty
    }
}

extension Refusal {
    fileprivate static let duplicateIdentity = Refusal(
        .duplicateItem, .duplicate, "idnt", "The certificate and its key are both in the keychain already.",
        do: "Use them; to add them again, delete the identity first.")
}
