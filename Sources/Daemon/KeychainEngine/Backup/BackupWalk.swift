import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// The walk over every row of a store for a backup, page by page.
struct BackupWalk {
    let itemReader: ItemReader
    let shelves: ShelfRegistry
    let shown: AuthenticationFactors
    /// The ticket of the backup; nil for a survey, which opens no value.
    let ticket: [UInt8]?
    /// Whether it goes on with the shelves.
    private let hasShelves: Bool

    /// Rows that are looked at together, of so many bytes, unless one has more.
    private static let (rowsAtOnce, bytesAtOnce) = (64, BackupFraming.partBytes)
    /// A page ends after so many rows, so that no request takes long.
    private static let rowsInPage: UInt64 = 8192
    /// A page ends when the names of what stays have so many bytes.
    private static let namesInPage = 64 << 10

    init(
        _ itemReader: ItemReader, _ shelves: ShelfRegistry, _ shown: AuthenticationFactors,
        forBackup ticket: [UInt8]? = nil, hasShelves: Bool = true
    ) {
        (self.itemReader, self.shelves, self.hasShelves) = (itemReader, shelves, hasShelves)
        (self.shown, self.ticket) = (shown, ticket)
    }

    /// The findings of a page.
    struct Page {
        let content = SecretBuffer(capacity: BackupFraming.partBytes)
        /// Items and shelves, and how many are shelves.
        var (items, shelves): (UInt64, UInt64) = (0, 0)
        var rows: UInt64 = 0
        var staying: [StayingItem] = []
        var next: BackupCursor?

        var namesAreMany: Bool { staying.reduce(0) { $0 + $1.size } >= BackupWalk.namesInPage }
        var isFull: Bool {
            content.count >= BackupFraming.partBytes || rows >= BackupWalk.rowsInPage || namesAreMany
        }

        /// Whether it has room for a record of so many bytes.
        func fits(_ size: Int) -> Bool {
            items == 0
                || content.count + size <= BackupFraming.partBytes && items < BackupFraming.partRecords
        }
    }

    func survey(from cursor: BackupCursor, by deadline: Deadline) throws(Refusal) -> BackupSurvey {
        try deadline.check()
        let page = try part(from: cursor)
        var survey = BackupSurvey()
        (survey.travelling, survey.shelves) = (page.items, page.shelves)
        (survey.staying, survey.next) = (page.staying, page.next)
        return survey
    }

    /// The records of the rows from a cursor on.
    func part(from cursor: BackupCursor) throws(Refusal) -> Page {
        switch cursor {
        case .items(let itemClass, let row): try items(of: itemClass, after: row)
        case .shelves(let id): try shelves(after: id)
        }
    }

    private func items(of itemClass: ItemClass, after row: Int64) throws(Refusal) -> Page {
        var (page, last) = (Page(), row)
        while !page.isFull {
            let batch = RowBatch()
            try itemReader.reader.walk(itemClass, after: last) { (row) throws(Refusal) in
                batch.append(row)
                return batch.count < Self.rowsAtOnce && batch.bytes < Self.bytesAtOnce
            }
            guard !batch.isEmpty else { break }
            if ticket != nil { try batch.keys.unwrap(by: itemReader.sealer.enclave) }
            guard try take(batch, into: &page, &last) else {
                page.next = .items(itemClass, after: last)
                return page
            }
        }
        page.next = page.isFull ? .items(itemClass, after: last) : following(itemClass)
        return page
    }

    private func following(_ itemClass: ItemClass) -> BackupCursor? {
        let next = BackupCursor.following(itemClass)
        if case .shelves = next, !hasShelves { return nil }
        return next
    }

    /// - Parameter last: the row that was looked at last.
    /// - Returns: false for a page that has no room for the next row.
    private func take(_ batch: RowBatch, into page: inout Page, _ last: inout Int64) throws(Refusal) -> Bool {
        for row in batch {
            if !row.isTombstone {
                switch try look(at: row) {
                case .stays(let item): page.staying.append(item)
                case .travels(let list):
                    guard page.fits(BackupRecord.size(of: list)) else { return false }
                    page.items += 1
                    guard ticket != nil else { break }
                    BackupRecord(itemClass: row.itemClass, uuid: row.uuid, list: list).append(to: page.content)
                }
            }
            page.rows += 1
            last = row.id
        }
        return true
    }

    private enum Finding {
        case stays(StayingItem)
        case travels(AttributeList)
    }

    private func look(at row: BatchRow) throws(Refusal) -> Finding {
        let opened = SecretBuffer(capacity: 1024)
        func stay(_ reason: StayingItem.Reason) -> Finding {
            let list = (try? AttributeList(parsing: opened.copy())) ?? .empty
            return .stays(
                StayingItem(
                    .item(row.itemClass), reason, group: list[.accessGroup]?.string ?? "", name: list.displayName))
        }
        do throws(ItemSealer.Failure) {
            let tamper = try itemReader.sealer.openMetadata(of: row, reader: itemReader.reader, into: opened)
            if let reason = try reasonToStay(row, opened) { return stay(reason) }
            if ticket != nil {
                if let guarded = try row.guarded() { row.key.set(try key(of: guarded)) }
                try itemReader.sealer.openValue(of: row, with: row.key, tamper: tamper, into: opened)
            }
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            return stay(.damaged)
        }
        guard let list = try? AttributeList(parsing: opened.copy()) else { return stay(.damaged) }
        return BackupRecord.size(of: list) <= BackupRecord.most ? .travels(list) : stay(.tooLarge)
    }

    private func reasonToStay(
        _ row: BatchRow, _ opened: SecretBuffer
    ) throws(ItemSealer.Failure) -> StayingItem.Reason? {
        guard let accessibility = row.accessibility else { return .damaged }
        if row.isSealedKey { return .sealedKey }
        if accessibility.isThisDeviceOnly { return .thisDeviceOnly }
        if let guarded = try row.guarded(), !AccessConstraint(flags: guarded.flags).isMetInBackup(by: shown) {
            return .guarded
        }
        let list = try? AttributeList(parsing: opened.copy())
        return list?[.accessGroup]?.string == AccessGroup.token ? .token : nil
    }

    private func key(of row: GuardedRow) throws(ItemSealer.Failure) -> SecretBytes {
        do throws(Refusal) {
            return try itemReader.sealer.enclave.unwrapRowKey(
                row.wrappedKey, row: row.uuid, for: row.accessibility, inBackup: ticket ?? [])
        } catch { throw error.status == .decode ? .damaged("its key") : .refused(error) }
    }
}

extension RowSource {
    /// Whether the row keeps a private key that the enclave does not give out, in place of a value.
    var isSealedKey: Bool { withPart(.value) { $0.count > 0 && $0[0] == ItemSealer.Presence.sealedKey.version } }
}
