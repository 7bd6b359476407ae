import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// The walk over every row that `security verify-keychain` asks for, page by page.
extension ItemReader {
    /// Few enough that a page takes a fraction of a second, and its report fits a frame if every row is damaged.
    private static let rowsInPage: UInt64 = 2048

    /// Opens the rows after a cursor and notes those that do not open. A page that is not full at its deadline ends
    /// there, but not before something was done.
    func verify(from start: VerificationCursor, by deadline: Deadline) throws(Refusal) -> VerificationPage {
        var page = VerificationPage()
        if start == .start { page.total = try reader.countRows() }
        if let itemClass = start.itemClass {
            let last = try verify(itemClass, after: start.row, by: deadline, into: &page.report)
            page.next = last.map { VerificationCursor(itemClass, after: $0) } ?? .start(after: itemClass)
        } else {
            page.report.file = try reader.checkFile(by: deadline)
        }
        return page
    }

    /// Gives the row after which the next page begins; nil when the class is done.
    private func verify(
        _ itemClass: ItemClass, after first: Int64, by deadline: Deadline, into report: inout VerificationReport
    ) throws(Refusal) -> Int64? {
        let batch = RowBatch()
        let opened = SecretBuffer(capacity: 8192)
        var (found, last) = (report, nil as Int64?)
        try reader.walk(itemClass, after: first) { (row) throws(Refusal) in
            batch.append(row)
            guard batch.count >= 64 else { return true }
            try checkBatch(batch, opened, &found)
            last = found.checked >= Self.rowsInPage || deadline.hasPassed ? row.id : nil
            return last == nil
        }
        try checkBatch(batch, opened, &found)
        report = found
        return last
    }

    private func checkBatch(
        _ batch: RowBatch, _ opened: SecretBuffer, _ report: inout VerificationReport
    ) throws(Refusal) {
        guard !batch.isEmpty else { return }
        try batch.keys.unwrap(by: sealer.enclave)
        for row in batch {
            report.checked += 1
            do throws(ItemSealer.Failure) { try checkRow(row, opened) } catch {
                switch error {
                case .refused: report.locked += 1
                case .damaged(let part):
                    report.damage.append(.init(itemClass: row.itemClass, row: row.id, problem: "\(part) does not open"))
                }
            }
            opened.removeAll()
        }
        batch.removeAll()
    }

    private func checkRow(_ row: BatchRow, _ opened: SecretBuffer) throws(ItemSealer.Failure) {
        let tamper = try sealer.openMetadata(of: row, reader: reader, into: opened)
        guard let list = try? AttributeList(parsing: opened.copy()) else { throw .damaged("its attributes") }
        try checkKey(of: row, list)
        // Nobody is asked for a verification: its value is not looked at.
        if let guarded = try row.guarded() { row.key.set(try key(of: guarded)) }
        let start = opened.count
        try sealer.openValue(of: row, with: row.key, tamper: tamper, into: opened)
        try checkSealedKey(in: opened.copy(from: start))
    }

    /// The key of a row that is guarded for anchored programs alone; verification gives nobody its value.
    private func key(of row: GuardedRow) throws(ItemSealer.Failure) -> SecretBytes {
        guard !AccessControl.asksTheUser(row.flags) else { throw .refused(.userNeeded(row.flags)) }
        do throws(Refusal) {
            return try sealer.enclave.unwrapGuardedRowKey(
                row.wrappedKey, row: row.uuid, for: row.accessibility, in: nil)
        } catch { throw error.status == .decode ? .damaged("its key") : .refused(error) }
    }

    /// A sealed key must be one of this enclave's.
    private func checkSealedKey(in value: SecretBytes) throws(ItemSealer.Failure) {
        do throws(Refusal) {
            guard let key = try (try? AttributeList(parsing: value))?.sealedKey() else { return }
            try sealer.enclave.checkKey(key)
        } catch {
            if error.status == .interactionNotAllowed { throw .refused(error) }
            throw .damaged("its sealed key")
        }
    }

    /// The digest in the row must be that of the attributes, or a search would find the wrong item.
    private func checkKey(of row: BatchRow, _ list: AttributeList) throws(ItemSealer.Failure) {
        let expected: [UInt8]
        do throws(Refusal) { expected = try reader.digester.primaryKey(of: row.itemClass, list) } catch {
            throw .refused(error)
        }
        let found = row.withPart(.primaryKey) { $0.array(0, $0.count) }
        guard found == expected else { throw .damaged("the digest of its primary key") }
        let isTrue: Bool
        do throws(Refusal) { isTrue = try reader.hasDigests(of: list, row.id, row.itemClass) } catch {
            throw .refused(error)
        }
        guard isTrue else { throw .damaged("a digest of its attributes") }
    }
}
