import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// The earlier versions of items: their attributes, which a search would show, with when and how each ended; never a
/// value.
extension ItemReader {
    /// Writes a page of versions, in the order in which they ended, and gives that after which the next page begins, 0
    /// when there is none.
    func answerHistory(
        _ authorized: AuthorizedRequest, by deadline: Deadline, _ page: inout Page
    ) throws(Refusal) -> UInt64 {
        let search = VersionSearch(
            page.itemClass, groups: authorized.groups, uuid: authorized.request.persistentReference?.uuid,
            since: history.since(), after: Int64(turn?.place?.cursor ?? authorized.request.cursor))
        var (count, isCut) = (0, false)
        try reader.versions(search, by: deadline) { (version) throws(Refusal) in
            try append(version.row.id, to: &page) { (page) throws(ItemSealer.Failure) in
                guard try appendItem(from: version.row, to: &page) else { return false }
                page.writer.buffer.append(.versionEnded, .date(Double(version.ended) / 1_000_000))
                page.writer.buffer.append(.versionEnd, .number(Int64(version.end.rawValue)))
                if let lost = version.lost {
                    let number = UInt64(bitPattern: version.row.id)
                    page.writer.buffer.append(.lostVersion, .data(number.littleEndianBytes + lost.bytes))
                }
                return true
            }
            try deadline.check()
            if page.isFull || gate.isFull { return false }
            count += 1
            isCut = count % Self.rowsAtOnce == 0 && endsTurn(after: UInt64(version.row.id), page)
            return !isCut
        }
        return (page.isFull || isCut) && page.mayGoOn ? UInt64(page.lastRow) : 0
    }
}

extension AuthorizedRequest {
    /// The groups it may touch; nil for all.
    var groups: [String]? { if case .groups(let names) = scope { names } else { nil } }
}

extension PersistentReference {
    var uuid: [UInt8]? { if case .uuid(let uuid) = item { uuid } else { nil } }
}
