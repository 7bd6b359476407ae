import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

/// The look at all rows of a group before its items are searched by their pairs, where that was not done since the
/// files were last written. A pair that is damaged or gone would hide its item, and an empty answer would be taken for
/// the truth.
extension ItemReader {
    /// Few enough that a look at the clock costs nothing.
    private static let rowsBetweenLooks = 64

    /// Finds out whether the rows that a search by pairs looks at have all of theirs. Rows that are closed now are
    /// looked at by a later search, which goes on there.
    ///
    /// - Throws: `keychain.deadline`; the next search goes on where this one ended.
    func lookAtPairs(
        of authorized: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline
    ) throws(Refusal) {
        guard let group = try reader.groupSearchedByPairs(authorized, as: itemClass) else { return }
        // Taken before the rows are looked at: what is written meanwhile is looked at by the next search.
        let state = reader.stateOfFiles
        guard case .unknown(let first) = reader.trust.finding(group, in: state) else { return }
        reader.forgetPages()
        var (finding, looked) = (PairTrust.Finding.whole, 0)
        try reader.walk(itemClass, after: first) { (row) throws(Refusal) in
            looked += 1
            if looked % Self.rowsBetweenLooks == 0, deadline.hasPassed { finding = .unknown(after: row.id - 1) }
            if finding == .whole { finding = try self.finding(of: row, in: group) }
            return finding == .whole
        }
        reader.trust.keep(finding: finding, of: group, in: state)
        if case .unknown = finding { try deadline.check() }
    }

    private func finding(of row: SealedRow, in group: ColumnDigest) throws(Refusal) -> PairTrust.Finding {
        guard row.withPart(.group, { $0.isEqual(to: group.span) }), !row.isTombstone else { return .whole }
        let opened = SecretBuffer(capacity: 1024)
        do throws(ItemSealer.Failure) { _ = try sealer.openMetadata(of: row, reader: reader, into: opened) } catch {
            // A damaged row is hidden, or refuses a search that must miss nothing, whatever its pairs.
            guard case .refused = error else { return .whole }
            return .unknown(after: row.id - 1)
        }
        guard let list = try? AttributeList(parsing: opened.copy()) else { return .whole }
        return try reader.hasPairs(of: list, row.id, row.itemClass) ? .whole : .broken
    }
}
