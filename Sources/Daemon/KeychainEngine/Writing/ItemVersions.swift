import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// An earlier version whose attributes were opened.
struct OpenedVersion {
    let id: Int64
    let uuid: [UInt8]
    /// Microseconds since 2001.
    let began, ended: Int64
    let end: VersionEnd
    /// Whether it has lost to another machine's change whose author had not known it.
    let isLost: Bool
}

/// The earlier versions of the items that a request may touch.
extension RequestedWrite {
    /// The versions that the query finds, in the order in which they ended.
    func versions(as itemClass: ItemClass) throws(Refusal) -> [OpenedVersion] {
        let search = VersionSearch(
            itemClass, groups: authorized.groups, uuid: request.persistentReference?.uuid,
            since: writer.history.since())
        return try versions(search, AskedAttributes(authorized))
    }

    /// The versions of an item, whatever it was found by.
    func versions(of item: PlainItem) throws(Refusal) -> [OpenedVersion] {
        let search = VersionSearch(
            item.itemClass, groups: authorized.groups, uuid: item.uuid, since: writer.history.since())
        return try versions(search, AskedAttributes(groupsOf: authorized))
    }

    private func versions(_ search: VersionSearch, _ asked: AskedAttributes) throws(Refusal) -> [OpenedVersion] {
        var found: [OpenedVersion] = []
        let batch = RowBatch()
        try store.reader.versions(search, by: deadline) { (version) throws(Refusal) in
            try deadline.check()
            batch.removeAll()
            batch.append(version.row)
            guard let item = try writer.decryptedItem(of: batch[0], withValue: false, asked: asked) else { return true }
            found.append(
                OpenedVersion(
                    id: version.row.id, uuid: item.uuid, began: item.modificationMicroseconds, ended: version.ended,
                    end: version.end, isLost: version.lost?.conflict != nil))
            return true
        }
        return found
    }

    /// The row of a version, with its key where nobody guards that.
    func row(of version: OpenedVersion, as itemClass: ItemClass) throws(Refusal) -> RowBatch {
        let search = VersionSearch(
            itemClass, groups: authorized.groups, uuid: version.uuid, since: writer.history.since(),
            after: version.id - 1)
        let batch = RowBatch()
        try store.reader.versions(search, by: deadline) { (version) throws(Refusal) in
            batch.append(version.row)
            return false
        }
        try batch.keys.unwrap(by: sealer.enclave)
        return batch
    }
}
