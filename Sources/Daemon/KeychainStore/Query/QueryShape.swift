import KeychainModel
import KeychainPolicy

/// What two queries have in common that can share a compiled statement: everything but the values.
struct QueryShape: Hashable {
    let itemClass: ItemClass
    /// How many groups the caller may see; nil when it may see all.
    let groups: Int?
    /// The attributes that are compared, as ``AttributeID/bit``.
    let attributes: UInt64
    /// `sync` and `tomb` as numbers to compare with; nil compares nothing.
    let synchronizable: Int64?
    let tombstone: Int64?
    let reference: Reference
    /// Goes on after a row, in the order of rows.
    let isPaged: Bool

    enum Reference: Hashable { case none, uuid, row }
}

extension QueryShape {
    init(_ authorized: AuthorizedRequest, as itemClass: ItemClass) {
        self.init(authorized.request, authorized.scope, as: itemClass)
    }

    /// The same without paging.
    var unpaged: QueryShape {
        QueryShape(
            itemClass: itemClass, groups: groups, attributes: attributes, synchronizable: synchronizable,
            tombstone: tombstone, reference: reference, isPaged: false)
    }

    private init(_ request: borrowing ItemRequest, _ scope: AuthorizedRequest.Scope, as itemClass: ItemClass) {
        self.itemClass = itemClass
        if case .groups(let names) = scope { groups = names.count } else { groups = nil }
        reference = Self.reference(request)
        isPaged = request.isSearch && (request.limit != .one || request.cursor > 0)
        attributes = request.query.present & Self.comparable
        // A persistent reference finds its item whether it is synchronised or not (semantics B.4).
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

    /// The attributes with columns to compare. The access group is compared through the scope; what `sync` and `tomb` may be is
    /// part of the shape.
    private static let comparable = AttributeTable.set {
        $0.column != .none && ![.accessGroup, .synchronizable, .tombstone].contains($0.id)
    }

    /// Without `sync` in the query, only what is not synchronised is found (semantics B.5).
    private static func synchronizable(_ request: ItemRequest) -> Int64? {
        guard let entry = request.query.entry(.synchronizable) else { return 0 }
        return entry.kind == .string ? nil : number(request, .synchronizable) == 0 ? 0 : 1
    }

    private static func number(_ request: ItemRequest, _ id: AttributeID) -> Int64? {
        request.query[id]?.number
    }
}
