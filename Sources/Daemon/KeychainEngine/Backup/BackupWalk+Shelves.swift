import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// The end of the walk: the shelves, without which the files that they wrap do not open elsewhere.
extension BackupWalk {
    func shelves(after id: ShelfID) throws(Refusal) -> Page {
        var (page, last) = (Page(), id)
        let reader = itemReader.reader.shelves
        while !page.isFull {
            let records = try shelves.records(after: last, in: reader)
            guard !records.isEmpty else { return page }
            for record in records {
                guard try take(record.shelf, record.id, into: &page) else {
                    page.next = .shelves(after: last)
                    return page
                }
                page.rows += 1
                last = record.id
            }
        }
        page.next = .shelves(after: last)
        return page
    }

    /// - Returns: false for a page that has no room for the shelf.
    private func take(_ known: KnownShelf?, _ id: ShelfID, into page: inout Page) throws(Refusal) -> Bool {
        guard let known, let sealed = try sealed(known) else {
            page.staying.append(StayingItem(known, id, known.flatMap(reasonToStay) ?? .damaged))
            return true
        }
        let record = SecretBuffer(capacity: 512)
        BackupShelf(sealed, name: known.name, made: known.made, isOfOther: known.isOfOther).append(to: record)
        guard page.fits(record.count) else { return false }
        (page.items, page.shelves) = (page.items + 1, page.shelves + 1)
        if ticket != nil { record.withSpan { page.content.append($0) } }
        return true
    }

    /// The shelf as it travels, in a survey as it is here; nil for one that stays.
    private func sealed(_ known: KnownShelf) throws(Refusal) -> Shelf? {
        guard reasonToStay(known) == nil else { return nil }
        guard let ticket else { return known.shelf }
        return try unlessDamaged { () throws(Refusal) in
            try itemReader.sealer.enclave.sealShelf(known.shelf, forBackup: ticket)
        }
    }

    private func reasonToStay(_ known: KnownShelf) -> StayingItem.Reason? {
        let binding = known.shelf.key.binding
        if binding.accessibility.isThisDeviceOnly { return .thisDeviceOnly }
        return AccessConstraint(flags: binding.control).isMetInBackup(by: shown) ? nil : .guarded
    }
}

extension StayingItem {
    /// A shelf without a name is known by its id, which `security file info` shows.
    fileprivate init(_ known: KnownShelf?, _ id: ShelfID, _ reason: Reason) {
        self.init(.shelf, reason, group: known?.shelf.key.binding.group ?? "", name: known?.label ?? id.text)
    }
}

extension KnownShelf {
    /// The name, or the id of a shelf without one.
    var label: String { name.isEmpty ? shelf.id.text : name }
}
