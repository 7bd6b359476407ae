import KeychainModel
import KeychainPolicy
import LinuxSystem

/// The attributes that a query asks for, compared with the opened ones. Most attributes have no column, and columns
/// only say where to look.
struct AskedAttributes {
    private let query: AttributeList
    /// In which groups the item may be; nil for all.
    private let groups: [String]?
    private let itemClass: ItemClass?

    init(_ authorized: borrowing AuthorizedRequest) {
        query = authorized.request.query
        itemClass = authorized.itemClass
        if case .groups(let names) = authorized.scope { groups = names } else { groups = nil }
    }

    /// Asks for the groups of a query, and for nothing else.
    init(groupsOf authorized: borrowing AuthorizedRequest) {
        query = .empty
        itemClass = authorized.itemClass
        if case .groups(let names) = authorized.scope { groups = names } else { groups = nil }
    }

    /// Those of an identity that are asked of one of its halves.
    private static let certificates = AttributeTable.set { $0.identityClass == .certificate }

    /// Whether the attributes that were opened at the end of a buffer are what was asked for.
    ///
    /// - Parameter half: the class of the half of an identity they are of; nil for an item that is whole.
    func areMet(by output: SecretBuffer, from start: Int, half: ItemClass? = nil) -> Bool {
        let halfs = half.map { $0 == .certificate ? Self.certificates : ~Self.certificates }
        let asked = AttributeTable.compared & (halfs ?? .max)
        return output.withSpan { opened in
            guard isInGroups(opened, start) else { return false }
            var areMet = true
            query.visit { entry in
                guard areMet, entry.id.bit & asked != 0 else { return }
                areMet = isMet(entry, by: opened, start, as: half ?? itemClass)
            }
            return areMet
        }
    }

    /// Whether it asks for attributes that a class has and its table has no columns for.
    func asksBeyondColumns(of itemClass: ItemClass) -> Bool {
        let columns = AttributeTable.indexed(of: itemClass).reduce(AttributeID.accessible.bit) { $0 | $1.id.bit }
        return query.present & AttributeTable.compared & Self.own(itemClass) & ~columns != 0
    }

    /// The attributes of a class that were opened and are others than those asked for.
    func differing(in output: SecretBuffer, as itemClass: ItemClass) -> [AttributeID] {
        let asked = AttributeTable.compared & Self.own(itemClass)
        return output.withSpan { opened in
            var differing: [AttributeID] = []
            query.visit { entry in
                if entry.id.bit & asked != 0, !isMet(entry, by: opened, 0, as: itemClass) { differing.append(entry.id) }
            }
            return differing
        }
    }

    private static func own(_ itemClass: ItemClass) -> AttributeSet { AttributeTable.set { $0.belongs(to: itemClass) } }

    private func isInGroups(_ opened: Span<UInt8>, _ start: Int) -> Bool {
        guard let groups else { return true }
        guard let entry = AttributeList.entry(.accessGroup, in: opened, from: start) else { return false }
        let name = opened.extracting(entry.offset..<entry.offset + entry.length)
        return groups.contains { $0.utf8.span.isEqual(to: name) }
    }

    private func isMet(
        _ wanted: AttributeList.Entry, by opened: Span<UInt8>, _ start: Int, as itemClass: ItemClass?
    ) -> Bool {
        guard let attribute = AttributeTable.attribute(id: wanted.id) else { return true }
        return query.storage.withSpan { asked in
            let asked = asked.extracting(wanted.offset..<wanted.offset + wanted.length)
            guard let found = AttributeList.entry(attribute.id, in: opened, from: start) else {
                guard let itemClass, let value = attribute.defaultValue(in: itemClass) else { return false }
                return attribute.isSame(wanted.kind, asked, value.kind, value.bytes.span)
            }
            let bytes = opened.extracting(found.offset..<found.offset + found.length)
            if attribute.id == .lookupAttributes { return LookupAttributes.contains(bytes, asked) }
            return attribute.isSame(wanted.kind, asked, found.kind, bytes)
        }
    }
}

extension ItemAttribute {
    /// Whether a search must not tell two values apart: text and data are compared by their bytes, a number in an
    /// attribute that is like text by its first four, a number or date elsewhere by its kind too.
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
