import KeychainModel
import KeychainPolicy

/// The common part of two queries that can share a compiled statement: everything but the values.
struct QueryShape: Hashable {
    let itemClass: ItemClass
    /// How many groups are looked into; nil for all.
    let groups: Int?
    /// The attributes whose columns are compared.
    let attributes: AttributeSet
    /// `sync` and `tomb` as numbers to compare with; nil compares nothing.
    let synchronizable: Int64?
    let tombstone: Int64?
    let reference: Reference
    /// Goes on after a row, in the order of rows.
    let isPaged: Bool
    /// How many pairs are looked up (``LookupTable``).
    var lookups = 0

    enum Reference: Hashable { case none, uuid, row }
}

extension QueryShape {
    /// - Parameters:
    ///   - groups: how many groups are looked into; nil for all.
    ///   - goesOn: whether it goes on where another turn ended.
    init(_ request: borrowing ItemRequest, as itemClass: ItemClass, groups: Int?, goesOn: Bool = false) {
        self.itemClass = itemClass
        self.groups = groups
        reference = Self.reference(request)
        isPaged = request.isSearch && (request.limit != .one || request.cursor > 0 || goesOn)
        attributes = request.query.present & Self.columns(of: itemClass, groups: groups)
        // A persistent reference finds its item whether it is synchronised or not (rule
        // queries.synchronizable.default).
        synchronizable = reference == .none ? Self.synchronizable(request) : nil
        tombstone = Self.number(request, .tombstone) ?? 0
    }

    private static func reference(_ request: ItemRequest) -> Reference {
        switch request.persistentReference?.item {
        case .uuid: .uuid
        case .row: .row
        case nil: .none
        }
    }

    /// The same without paging, for code that compares the digests itself.
    var explained: QueryShape {
        QueryShape(
            itemClass: itemClass, groups: groups, attributes: attributes & AttributeID.accessible.bit,
            synchronizable: synchronizable, tombstone: tombstone, reference: reference, isPaged: false)
    }

    /// Whether more is asked of items than their columns say, so that their attributes have to be compared when they
    /// are open.
    func leavesOpen(_ request: borrowing ItemRequest) -> Bool {
        request.query.present & AttributeTable.compared & ~attributes != 0
    }

    /// Whether salted columns of a class can say something about a request.
    static func comparesSalted(_ request: borrowing ItemRequest, as itemClass: ItemClass) -> Bool {
        request.query.present & salted[Int(itemClass.rawValue) - 1] != 0
    }

    /// Whether salted columns are compared.
    var comparesSalted: Bool { attributes & Self.salted[Int(itemClass.rawValue) - 1] != 0 }

    /// The attributes with columns to compare. The access group is compared through the scope, and the values that
    /// `sync` and `tomb` may have are part of the shape. Salted attributes take groups. The halves of an identity may
    /// be in two groups, which one digest cannot say.
    private static func columns(of itemClass: ItemClass, groups: Int?) -> AttributeSet {
        let index = Int(itemClass.rawValue) - 1
        if groups == 0 { return 0 }
        let isSaltKnown = itemClass == .identity ? groups == 1 : groups != nil
        return isSaltKnown ? plain[index] | salted[index] : plain[index]
    }

    private static let salted = ItemClass.allCases.map { columns(of: $0) { $0.isSalted } }
    private static let plain = ItemClass.allCases.map {
        columns(of: $0) { !$0.isSalted && $0.id != .accessGroup } | AttributeID.accessible.bit
    }

    private static func columns(of itemClass: ItemClass, where holds: (ItemAttribute) -> Bool) -> AttributeSet {
        AttributeTable.indexed(of: itemClass).filter(holds).reduce(0) { $0 | $1.id.bit }
    }

    /// Without `sync` in the query, only what is not synchronised is found (rule queries.synchronizable.default).
    private static func synchronizable(_ request: ItemRequest) -> Int64? {
        guard let entry = request.query.entry(.synchronizable) else { return 0 }
        return entry.kind == .string ? nil : number(request, .synchronizable) == 0 ? 0 : 1
    }

    private static func number(_ request: ItemRequest, _ id: AttributeID) -> Int64? {
        request.query[id]?.number
    }
}
