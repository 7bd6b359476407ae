import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// The walk over every row that `security verify-keychain` asks for.
extension EngineLane {
    /// More damage than this is not listed: the store as a whole is lost then, and the report must fit a frame.
    private static let listed = 1000

    func verify(_ itemClass: ItemClass, into report: inout VerificationReport) throws(Refusal) {
        let batch = RowBatch()
        let opened = SecretBuffer(capacity: 8192)
        var found = report
        try reader.walk(itemClass, after: 0) { (row) throws(Refusal) in
            batch.append(row)
            if batch.rows.count >= 64 { try check(batch, itemClass, opened, &found) }
            return true
        }
        try check(batch, itemClass, opened, &found)
        report = found
    }

    func checkFile() throws(Refusal) -> String { try reader.checkFile() }

    private func check(
        _ batch: RowBatch, _ itemClass: ItemClass, _ opened: SecretBuffer, _ report: inout VerificationReport
    ) throws(Refusal) {
        guard !batch.rows.isEmpty else { return }
        try sealer.unwrapKeys(of: batch)
        for index in batch.rows.indices {
            report.checked += 1
            do throws(ItemSealer.Failure) { try open(index, batch, itemClass, opened) } catch {
                note(error, batch.rows[index].id, itemClass, &report)
            }
            opened.removeAll()
        }
        batch.removeAll()
    }

    private func open(
        _ index: Int, _ batch: RowBatch, _ itemClass: ItemClass, _ opened: SecretBuffer
    ) throws(ItemSealer.Failure) {
        let tamper = try sealer.openMetadata(
            of: batch.rows[index], in: batch, as: itemClass, reader: reader, into: opened)
        guard let list = try? AttributeList(parsing: opened.copy()) else { throw .damaged("its attributes") }
        try checkKey(of: batch.rows[index], list, itemClass, batch)
        let start = opened.count
        try sealer.openValue(at: index, in: batch, as: itemClass, tamper: tamper, into: opened)
        try checkSealedKey(in: opened.copy(from: start))
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
    private func checkKey(
        of row: RowBatch.Row, _ list: AttributeList, _ itemClass: ItemClass, _ batch: RowBatch
    ) throws(ItemSealer.Failure) {
        let expected: [UInt8]
        do throws(Refusal) { expected = try reader.digester.primaryKey(of: itemClass, list) } catch {
            throw .refused(error)
        }
        let found = batch.sealed.withSpan { $0.array(row.primaryKey.lowerBound, row.primaryKey.count) }
        guard found == expected else { throw .damaged("the digest of its primary key") }
    }

    private func note(
        _ failure: ItemSealer.Failure, _ row: Int64, _ itemClass: ItemClass, _ report: inout VerificationReport
    ) {
        switch failure {
        case .refused: report.locked += 1
        case .damaged(let part):
            guard report.damage.count < Self.listed else { return }
            report.damage.append(.init(itemClass: itemClass, row: row, problem: "\(part) does not open"))
        }
    }
}
