import KeychainModel

/// Which attributes a dump shows, by which names, in which order: those macOS's keychain files have, taken from the
/// table of attributes. Those of this keychain alone (groups, protection) are shown by `dump-keychain -a` and
/// `--json`.
enum DumpLayout {
    struct Column: Sendable {
        let id: AttributeID
        /// With the blank that follows a number.
        let tag: String
        let type: CellType
    }

    enum CellType: String, Sendable {
        case blob
        case timedate
        case uint32
        case sint32
    }

    static func columns(of itemClass: ItemClass) -> [Column] { layouts[Int(itemClass.rawValue) - 1] }

    private static let layouts = ItemClass.allCases.map { itemClass in
        switch itemClass {
        case .genericPassword, .internetPassword: password(itemClass)
        case .certificate: certificate
        case .key, .identity: key
        }
    }

    /// Label and alias have the lowest numbers; the others' numbers are their names, so they come in alphabetical
    /// order.
    private static func password(_ itemClass: ItemClass) -> [Column] {
        let named = AttributeTable.attributes(of: itemClass).filter {
            !isModern($0.id) && $0.id != .label && $0.id != .alias
        }
        return [numbered(7, .label), numbered(8, .alias)]
            + named.sorted { $0.code < $1.code }.map { Column(id: $0.id, tag: "\"\($0.code)\"", type: type(of: $0)) }
    }

    private static let certificate: [Column] = {
        let oldNames: [AttributeID: String] = [.issuer: "issu", .serialNumber: "snbr", .publicKeyHash: "hpky"]
        return AttributeTable.attributes(of: .certificate)
            .filter { !isModern($0.id) && $0.kind != .date }
            .map { Column(id: $0.id, tag: "\"\(oldNames[$0.id] ?? $0.code)\"", type: type(of: $0)) }
            .sorted { $0.tag < $1.tag }
    }()

    private static let key: [Column] = keyOrder.enumerated().map { numbered(UInt32($0), $1) }

    /// A key's attributes are numbered in this order.
    private static let keyOrder: [AttributeID] = [
        .keyClass, .label, .alias, .isPermanent, .isPrivate, .isModifiable, .applicationLabel, .applicationTag,
        .creator,
        .type, .keySizeInBits, .effectiveKeySize, .startDate, .endDate, .isSensitive, .wasAlwaysSensitive,
        .isExtractable,
        .wasNeverExtractable, .canEncrypt, .canDecrypt, .canDerive, .canSign, .canVerify, .canSignRecover,
        .canVerifyRecover, .canWrap, .canUnwrap,
    ]

    private static func numbered(_ number: UInt32, _ id: AttributeID) -> Column {
        let digits = String(number, radix: 16, uppercase: true)
        let tag = "0x" + String(repeating: "0", count: 8 - digits.count) + digits + " "
        return Column(id: id, tag: tag, type: AttributeTable.attribute(id: id).map(type) ?? .blob)
    }

    private static func type(of attribute: ItemAttribute) -> CellType {
        switch attribute.kind {
        case .date: .timedate
        case .number: isSigned(attribute.id) ? .sint32 : .uint32
        case .blob, .string, .data, .accessControl: .blob
        }
    }

    private static func isSigned(_ id: AttributeID) -> Bool {
        [.isInvisible, .isNegative, .hasCustomIcon, .scriptCode].contains(id)
    }

    private static func isModern(_ id: AttributeID) -> Bool {
        [
            .accessible, .accessControl, .accessGroup, .synchronizable, .tokenID, .syncViewHint, .sharingGroup,
            .multiUser, .tombstone, .lookupAttributes,
        ].contains(id)
    }
}
