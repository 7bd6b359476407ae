import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The results that a query wants of its rows, and how far it has got. There is one for a query, which is never copied.
struct Page: ~Copyable {
    let itemClass: ItemClass
    let writer: ResponseWriter
    let wantsAttributes, wantsValues, wantsKeys, wantsReferences: Bool
    /// False for the inspecting command, which sees the attributes of all items and no value. For all others, guarded
    /// items stay closed.
    let minds: Bool
    let isAnchored, mayShowAnchored: Bool
    /// The caller that inspects all groups; nil for a program that looks at its own.
    let inspector: CallerIdentity?
    let ui: ItemRequest.AuthenticationUI
    let returns: ReturnFlags
    let asked: AskedAttributes
    let host: String?
    /// A match that does not open refuses the request.
    let missesNothing: Bool
    /// A match is given by its reference while its class is closed: its columns and its pairs say all that is asked.
    let namesClosed: Bool
    let limit: ItemRequest.Limit
    private(set) var lastRow: Int64 = 0

    init(_ authorized: borrowing AuthorizedRequest, _ itemClass: ItemClass, _ writer: ResponseWriter) {
        let mayOpenValues = authorized.mayOpenValues
        self.itemClass = itemClass
        self.writer = writer
        returns = authorized.request.returns
        asked = AskedAttributes(authorized)
        wantsAttributes = authorized.request.returns.needAttributes(of: itemClass)
        wantsKeys = authorized.request.returns.contains(.reference)
        wantsValues = authorized.request.returns.needValue(of: itemClass) && mayOpenValues
        wantsReferences = authorized.request.returns.contains(.persistentReference)
        minds = mayOpenValues
        isAnchored = authorized.isAnchored
        mayShowAnchored = authorized.mayShowAnchored
        inspector = authorized.inspector
        ui = authorized.request.authenticationUI
        host = authorized.request.query[.hostOrSubdomain]?.string
        limit = authorized.request.limit
        missesNothing = authorized.request.missesNothing
        namesClosed =
            missesNothing && mayOpenValues && returns == .persistentReference && host == nil
            && authorized.isKnownByIndex(of: itemClass)
    }

    var isFull: Bool {
        switch limit {
        case .one: writer.count >= 1
        case .all: writer.buffer.count >= WireLimits.pageBytes
        case .atMost(let count): writer.count >= count || writer.buffer.count >= WireLimits.pageBytes
        }
    }

    /// Whether there is a next page. Behind a limit that was reached there may be one too, for programs that want
    /// smaller pages.
    var mayGoOn: Bool { limit != .one }

    /// Whether an inspection leaves a row out.
    func hides(_ row: GuardedRow?) -> Bool {
        !minds && !mayShowAnchored && row.map { AccessConstraint(flags: $0.flags).needsAnchor } ?? false
    }

    /// Whether a row that refuses itself is given by its reference all the same.
    func names(_ failure: ItemSealer.Failure) -> Bool {
        if namesClosed, case .refused(let refusal) = failure { refusal.rule == .locked } else { false }
    }

    mutating func took(_ row: Int64) { lastRow = row }
}

extension AuthorizedRequest {
    /// Whether the index says all that is asked of items of a class. Pairs are looked up in one group alone.
    fileprivate func isKnownByIndex(of itemClass: ItemClass) -> Bool {
        guard case .groups(let names) = scope, request.persistentReference != nil || Set(names).count == 1
        else { return false }
        let known = AttributeTable.indexed(of: itemClass).reduce(AttributeID.lookupAttributes.bit) { $0 | $1.id.bit }
        return request.query.present & AttributeTable.compared & ~known == 0
    }
}
