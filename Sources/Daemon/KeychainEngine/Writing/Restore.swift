import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Bringing earlier versions of items back, and dropping them for good. Both concern only what the caller may change,
/// and what is guarded is brought back only when its user has shown what it asks for.
extension ItemWriter {
    func restore(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw .nothingFound(request.request) }
        let gate = write.gate ?? plainGate
        if let moment = request.request.moment {
            try restore(asOf: HistoryLimits.microseconds(moment), request, as: itemClass, write, past: gate)
        } else {
            try undelete(request, as: itemClass, write, past: gate)
        }
    }

    /// Drops all versions of the items that the query finds among the versions, but those of groups that the caller has
    /// not; the items stay.
    func forget(_ request: AuthorizedRequest, _ write: PendingWrite) throws(Refusal) {
        guard let itemClass = request.itemClass else { throw .nothingFound(request.request) }
        let uuids = Set(try versions(of: request, as: itemClass, by: write.deadline).map(\.uuid))
        guard !uuids.isEmpty else { throw .nothingFound(request.request) }
        for uuid in uuids { try forgetVersions(of: uuid, request, as: itemClass, by: write.deadline) }
        write.writer.begin(id: write.id)
        write.writer.end()
    }

    private func forgetVersions(
        of uuid: [UInt8], _ request: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline
    ) throws(Refusal) {
        var found: [Int64] = []
        let search = VersionSearch(itemClass, groups: request.groups, uuid: uuid, since: .min)
        try store.reader.versions(search, by: deadline) { version in
            found.append(version.row.id)
            return true
        }
        for id in found { try store.forget(version: id) }
    }

    // MARK: - Deleted items

    /// Adds the item again that was deleted last among those found, as it was and under the same UUID.
    private func undelete(
        _ request: AuthorizedRequest, as itemClass: ItemClass, _ write: PendingWrite, past gate: AccessControlGate
    ) throws(Refusal) {
        let versions = try versions(of: request, as: itemClass, by: write.deadline)
        guard let last = versions.last(where: { $0.end == .deleted }) else { throw .noVersion(request.request) }
        var item = try open(last, request, as: itemClass, past: gate, by: write.deadline)
        item.attributes[.modificationDate] = .date(item.nextModificationDate)
        try settleKey(of: &item, isNew: false, past: gate, request)
        try put(try seal(item, past: gate, request.request.authenticationUI), at: nil)
        try store.forget(version: last.id)
        write.writer.begin(id: write.id)
        answer(item, request.request.returns, into: write.writer)
        write.writer.end()
    }

    // MARK: - Earlier versions

    /// Gives each item found what it had at a moment; what it has now becomes an earlier version.
    private func restore(
        asOf moment: Int64, _ request: AuthorizedRequest, as itemClass: ItemClass, _ write: PendingWrite,
        past gate: AccessControlGate
    ) throws(Refusal) {
        let batch = try rows(of: request, as: itemClass, by: write.deadline, withKeys: true)
        // The user is asked at once for what the items are and for what they were.
        try lookAtGuarded(in: batch, as: itemClass, past: gate, request)
        var earlier: [(index: Int, version: RowBatch)] = []
        for index in batch.rows.indices {
            guard let item = try open(index, in: batch, as: itemClass, withValue: false) else { continue }
            let versions = try versions(of: item, request, by: write.deadline)
            guard let found = versions.first(where: { $0.ended > moment }), found.began <= moment else {
                throw .noVersion(request.request)
            }
            let version = try row(of: found, request, as: itemClass, by: write.deadline)
            try lookAtGuarded(in: version, as: itemClass, past: gate, request)
            earlier.append((index, version))
        }
        try gate.check()
        for (index, version) in earlier {
            guard let old = try open(index, in: batch, as: itemClass, withValue: true) else { continue }
            var new = try openVersion(in: version, request, as: itemClass)
            try replace(old, index, in: batch, with: &new, past: gate, request)
        }
        write.writer.begin(id: write.id)
        write.writer.end()
    }

    // MARK: - Versions

    /// A version whose attributes were opened.
    private struct Version {
        let id: Int64
        let uuid: [UInt8]
        /// Microseconds since 2001.
        let began, ended: Int64
        let end: VersionEnd
    }

    /// The versions that a query finds, in the order in which they ended.
    private func versions(
        of request: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline
    ) throws(Refusal) -> [Version] {
        let search = VersionSearch(
            itemClass, groups: request.groups, uuid: request.request.persistentReference?.uuid, since: history.since())
        return try versions(search, AskedAttributes(request), by: deadline)
    }

    /// The versions of an item, whatever it was found by.
    private func versions(
        of item: PlainItem, _ request: AuthorizedRequest, by deadline: Deadline
    ) throws(Refusal) -> [Version] {
        let search = VersionSearch(item.itemClass, groups: request.groups, uuid: item.uuid, since: history.since())
        return try versions(search, AskedAttributes(groupsOf: request), by: deadline)
    }

    private func versions(
        _ search: VersionSearch, _ asked: AskedAttributes, by deadline: Deadline
    ) throws(Refusal) -> [Version] {
        var found: [Version] = []
        let batch = RowBatch()
        try store.reader.versions(search, by: deadline) { (version) throws(Refusal) in
            try deadline.check()
            batch.removeAll()
            batch.append(version.row)
            guard let item = try open(0, in: batch, as: search.itemClass, withValue: false, asked: asked) else {
                return true
            }
            found.append(
                Version(
                    id: version.row.id, uuid: item.uuid, began: item.modificationMicroseconds, ended: version.ended,
                    end: version.end))
            return true
        }
        return found
    }

    /// Opens a version with its value, once its user has shown what it asks for.
    ///
    /// - Throws: `errSecAuthNeeded` when the user has to be asked first.
    private func open(
        _ version: Version, _ request: AuthorizedRequest, as itemClass: ItemClass, past gate: AccessControlGate,
        by deadline: Deadline
    ) throws(Refusal) -> PlainItem {
        let batch = try row(of: version, request, as: itemClass, by: deadline)
        try openGuarded(in: batch, as: itemClass, past: gate, request)
        return try openVersion(in: batch, request, as: itemClass)
    }

    /// The row of a version, with its key where nobody guards that.
    private func row(
        of version: Version, _ request: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline
    ) throws(Refusal) -> RowBatch {
        let search = VersionSearch(
            itemClass, groups: request.groups, uuid: version.uuid, since: history.since(), after: version.id - 1)
        let batch = RowBatch()
        try store.reader.versions(search, by: deadline) { (version) throws(Refusal) in
            batch.append(version.row)
            return false
        }
        try sealer.unwrapKeys(of: batch)
        return batch
    }

    private func openVersion(
        in batch: RowBatch, _ request: AuthorizedRequest, as itemClass: ItemClass
    ) throws(Refusal) -> PlainItem {
        guard !batch.rows.isEmpty, let item = try open(0, in: batch, as: itemClass, withValue: true) else {
            throw .noVersion(request.request)
        }
        return item
    }
}

extension Refusal {
    fileprivate static func noVersion(_ request: ItemRequest) -> Refusal {
        Refusal(
            .itemNotFound, .notFound, request.effectiveClass?.code ?? "",
            request.moment == nil
                ? "No deleted item of the caller's groups matches the query."
                : "No earlier version of the item is of that time.",
            do: "See what there is with security history. Nothing is kept of items of this device only.")
    }
}
