import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Adding and deleting identities, each in the one transaction of its request (rule items.identity.add).
extension ItemWriter {
    /// Adds the certificate, then the key. One of them may be there already, but not both.
    func addIdentity(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        let gate = write.gate ?? plainGate
        var kept: [PlainItem] = []
        var added = 0
        for part in request.parts {
            let item = try newItem(part, uuid: Randomness.bytes(RowKeyRecord.rowBytes), past: gate)
            let row = try seal(item, past: gate, request.request.authenticationUI)
            if try isPut(row) {
                added += 1
                kept.append(item)
            } else {
                kept.append(try occupant(of: row) ?? item)
            }
        }
        guard added > 0 else { throw .duplicateIdentity }
        write.writer.begin(id: write.id)
        if !request.request.returns.isEmpty, kept.count == 2 {
            let identity = Identity(certificate: kept[0].entries(), key: kept[1].entries(), uuid: kept[0].uuid)
            write.writer.append(identity, request.request.returns)
        }
        write.writer.end()
    }

    /// Deletes the certificates, and the keys that no other certificate refers to.
    func deleteIdentities(_ request: AuthorizedRequest, by deadline: Deadline) throws(Refusal) {
        let (certificates, keys) = (RowBatch(), RowBatch())
        // A certificate may come with several keys, and a key with several certificates.
        var seen: (certificates: Set<Int64>, keys: Set<Int64>) = ([], [])
        let asked = AskedAttributes(request)
        try store.reader.selectIdentities(request, by: deadline) { (certificate, key) throws(Refusal) in
            guard try isMeant(certificate, as: .certificate, by: asked, half: .certificate),
                try isMeant(key, as: .key, by: asked, half: .key)
            else { return true }
            if seen.certificates.insert(certificate.id).inserted { certificates.append(certificate) }
            if seen.keys.insert(key.id).inserted { keys.append(key) }
            return true
        }
        guard !certificates.rows.isEmpty else { throw .nothingFound(request.request) }
        for index in certificates.rows.indices { try remove(index, in: certificates, as: .certificate, request) }
        for index in keys.rows.indices where try !store.reader.isReferenced(key: keys.rows[index].id) {
            try remove(index, in: keys, as: .key, request)
        }
    }

    private func isPut(_ row: NewRow) throws(Refusal) -> Bool {
        do throws(Refusal) { try put(row, at: nil) } catch {
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
        guard !batch.rows.isEmpty, batch.rows[0].guardedKey.isEmpty else { return nil }
        try sealer.unwrapKeys(of: batch)
        return try open(0, in: batch, as: row.itemClass, withValue: true)
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
