import KeychainModel
import KeychainPolicy
import LinuxSystem

/// What a query asks of an item's attributes, held once more against what was opened: the columns only say where to look.
struct AskedAttributes {
    private let query: AttributeList
    /// In which groups the item may be; nil for all.
    private let groups: [String]?

    init(_ authorized: borrowing AuthorizedRequest) {
        query = authorized.request.query
        if case .groups(let names) = authorized.scope { groups = names } else { groups = nil }
    }

    /// What a search compares; whether items are synchronised or tombstones is asked by other rules.
    private static let compared = AttributeTable.set {
        $0.column != .none && ![.accessGroup, .synchronizable, .tombstone].contains($0.id)
    }

    /// Whether the attributes that were opened at the end of a buffer are what was asked for.
    func areMet(by output: SecretBuffer, from start: Int) -> Bool {
        output.withSpan { opened in
            guard isInGroups(opened, start) else { return false }
            var areMet = true
            query.visit { entry in
                guard areMet, entry.id.bit & Self.compared != 0 else { return }
                areMet = isMet(entry, by: opened, start)
            }
            return areMet
        }
    }

    /// Whether attributes that were opened belong to a group the query may see.
    func isInGroups(_ list: AttributeList) -> Bool {
        guard let groups else { return true }
        return list[.accessGroup]?.string.map(groups.contains) ?? false
    }

    private func isInGroups(_ opened: Span<UInt8>, _ start: Int) -> Bool {
        guard let groups else { return true }
        guard let entry = AttributeList.entry(.accessGroup, in: opened, from: start) else { return false }
        let name = opened.extracting(entry.offset..<entry.offset + entry.length)
        return groups.contains { $0.utf8.span.isEqual(to: name) }
    }

    private func isMet(_ wanted: AttributeList.Entry, by opened: Span<UInt8>, _ start: Int) -> Bool {
        guard let attribute = AttributeTable.attribute(id: wanted.id) else { return true }
        return query.storage.withSpan { asked in
            let asked = asked.extracting(wanted.offset..<wanted.offset + wanted.length)
            guard let found = AttributeList.entry(attribute.id, in: opened, from: start) else {
                guard let value = attribute.defaultValue else { return false }
                return attribute.isSame(wanted.kind, asked, value.kind, value.bytes.span)
            }
            let bytes = opened.extracting(found.offset..<found.offset + found.length)
            return attribute.isSame(wanted.kind, asked, found.kind, bytes)
        }
    }
}

extension ItemAttribute {
    /// Whether a search must not tell two values apart: text and data are compared by their bytes, a number in an attribute that is
    /// like text by its first four, a number or date elsewhere by its kind too.
    fileprivate func isSame(
        _ kind: AttributeValue.Kind, _ bytes: Span<UInt8>, _ otherKind: AttributeValue.Kind, _ otherBytes: Span<UInt8>
    ) -> Bool {
        mark(kind) == mark(otherKind)
            && bytes.extracting(first: size(kind, bytes)).isEqual(
                to: otherBytes.extracting(first: size(otherKind, otherBytes)))
    }

    private func mark(_ valueKind: AttributeValue.Kind) -> UInt8 {
        switch (kind, valueKind) {
        case (.blob, .number): 0
        case (_, .number), (_, .date): valueKind.rawValue
        default: 0
        }
    }

    private func size(_ valueKind: AttributeValue.Kind, _ bytes: Span<UInt8>) -> Int {
        kind == .blob && valueKind == .number ? 4 : bytes.count
    }
}
