import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Answering queries for identities: two rows make one item (rule items.identity.join).
extension ItemReader {
    /// Writes a page of identities and gives where the next begins, 0 when there is none.
    func answerIdentities(
        _ authorized: AuthorizedRequest, by deadline: Deadline, into writer: ResponseWriter
    ) throws(Refusal) -> UInt64 {
        var page = Page(authorized, .identity, writer)
        let place = turn?.place
        var (last, count, isCut) = (IdentityCursor(0), 0, false)
        try reader.selectIdentities(authorized, after: place?.cursor, by: deadline) {
            (certificate, key) throws(Refusal) in
            batch.append(certificate)
            batch.append(key)
            count += 2
            guard page.limit == .one || batch.count >= Self.rowsAtOnce else { return true }
            try flush(&page, &last)
            if page.isFull || gate.isFull { return false }
            try deadline.check()
            isCut = count % Self.rowsAtOnce == 0 && endsTurn(after: last, place, authorized.request, page)
            return !isCut
        }
        try flush(&page, &last)
        return (page.isFull || isCut) && page.mayGoOn ? try last.packed() : 0
    }

    /// As ``endsTurn(after:_:closed:)``. One who looks for a single identity has had them in no order in the first
    /// turn, and has them once more; where they cannot be counted, the turn goes on.
    private func endsTurn(
        after last: IdentityCursor, _ place: SearchPlace?, _ request: ItemRequest, _ page: borrowing Page
    ) -> Bool {
        guard let packed = try? last.packed() else { return false }
        return endsTurn(after: page.limit == .one && place == nil ? request.cursor : packed, page)
    }

    private func flush(_ page: inout Page, _ last: inout IdentityCursor) throws(Refusal) {
        guard !batch.isEmpty else { return }
        defer { batch.removeAll() }
        if page.wantsValues { try batch.keys.unwrap(by: sealer.enclave) }
        for index in stride(from: 0, to: batch.count, by: 2) where !page.isFull && !gate.isFull {
            let (certificate, key) = (batch[index], batch[index + 1])
            try appendIdentity(of: certificate, key, to: page)
            last = IdentityCursor(certificate: certificate.id, key: key.id)
        }
    }

    /// An identity one of whose rows does not open is hidden; one whose class is closed refuses the query.
    private func appendIdentity(
        of first: BatchRow, _ second: BatchRow, to page: borrowing Page
    ) throws(Refusal) {
        do throws(ItemSealer.Failure) {
            guard let one = try half(first, page), let other = try half(second, page) else { return }
            let (certificate, key) = (try list(one, page), try list(other, page))
            // Something is guarded: both halves were looked at, so that the user is asked for them at once.
            guard let certificate, let key else { return }
            guard key[.applicationLabel]?.bytes == certificate[.publicKeyHash]?.bytes else {
                throw .damaged("its columns")
            }
            page.writer.append(Identity(certificate: certificate, key: key, uuid: first.uuid), page.returns)
        } catch {
            if case .refused(let refusal) = error { throw refusal }
        }
    }

    /// One row whose attributes were opened.
    private struct Half {
        let row: BatchRow
        let opened: SecretBuffer
        let tamper: InlineArray<16, UInt8>
    }

    /// One row with its attributes; nil when they are not those asked for.
    private func half(_ row: BatchRow, _ page: borrowing Page) throws(ItemSealer.Failure) -> Half? {
        let opened = SecretBuffer(capacity: 4096)
        let tamper = try openAttributes(of: row, page, into: opened, half: row.itemClass)
        return tamper.map { Half(row: row, opened: opened, tamper: $0) }
    }

    /// The attributes of one row with its value, where it is wanted; nil when the user has to be asked first.
    private func list(_ half: Half, _ page: borrowing Page) throws(ItemSealer.Failure) -> AttributeList? {
        let (row, opened) = (half.row, half.opened)
        guard try passGuard(of: row, row.key, page, in: opened, from: 0) else { return nil }
        if page.wantsValues { try sealer.openValue(of: row, with: row.key, tamper: half.tamper, into: opened) }
        guard let list = try? AttributeList(parsing: opened.copy()) else { throw .damaged("its attributes") }
        if let inspector = page.inspector, anchoredGroups.hide(list, from: inspector) { return nil }
        return list
    }
}

/// An identity on its way into a response.
struct Identity {
    /// The halves with their attributes and, where they are wanted, their values.
    let certificate, key: AttributeList
    /// The UUID of the certificate's row, by which the identity is referred to.
    let uuid: [UInt8]
}

extension ResponseWriter {
    /// Appends an identity as far as it was asked for: the key's attributes, overlaid with the certificate's. The key's
    /// access control would contradict the certificate's protection class.
    func append(_ identity: Identity, _ returns: ReturnFlags) {
        beginItem(.identity)
        if returns.needAttributes(of: .identity) {
            for entry in identity.key
            where AttributeTable.isAttribute(entry.id) && entry.id != .accessControl
                && identity.certificate.entry(entry.id) == nil
            {
                buffer.append(entry, of: identity.key)
            }
            for entry in identity.certificate where AttributeTable.isAttribute(entry.id) {
                buffer.append(entry, of: identity.certificate)
            }
        }
        appendValues(of: identity, returns)
        if returns.contains(.persistentReference),
            let bytes = PersistentReference(.identity, uuid: identity.uuid).bytes
        {
            buffer.append(.persistentReference, .data(bytes))
        }
        endItem()
    }

    /// The value is the key's; what else the reference is made of comes along with it alone.
    private func appendValues(of identity: Identity, _ returns: ReturnFlags) {
        guard returns.needValue(of: .identity) else { return }
        let isReference = returns.contains(.reference)
        for entry in identity.key
        where !AttributeTable.isAttribute(entry.id) && (isReference || entry.id == .valueData) {
            buffer.append(entry, of: identity.key)
        }
        guard isReference, let value = identity.certificate.secret(.valueData) else { return }
        value.withSpan { buffer.append(.certificateData, .data, $0) }
    }
}

extension AttributeTable {
    /// Whether this is an attribute, not one of the other entries that travel with the attributes.
    fileprivate static func isAttribute(_ id: AttributeID) -> Bool { attribute(id: id) != nil }
}
