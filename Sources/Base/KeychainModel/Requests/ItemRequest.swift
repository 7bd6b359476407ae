/// One of the verbs with its dictionaries, as the client sends it to the engine.
///
/// It is a request, not a permission: ``check()`` applies the rules, and the policy module checks the caller's groups.
package struct ItemRequest: Sendable {
    package enum Operation: UInt8, Sendable {
        case add = 1
        case copyMatching = 2
        case update = 3
        case delete = 4
        /// Lists the earlier versions of items, also of deleted ones: their attributes, with the time and the cause of
        /// each version's end.
        case history = 5
        /// Restores a deleted item, or an earlier version of an existing one.
        case restore = 6
        /// Deletes the earlier versions of items.
        case forget = 7
    }

    /// How many items a query returns.
    package enum Limit: Hashable, Sendable {
        case one
        case all
        case atMost(UInt32)
    }

    /// The behaviour when authentication is required (rule authentication.query.keys).
    package enum AuthenticationUI: UInt8, Sendable {
        case allow = 0
        case fail = 1
        case skip = 2
    }

    package var operation: Operation
    package var itemClass: ItemClass?
    package var returns: ReturnFlags = []
    package var limit: Limit = .one
    package var authenticationUI: AuthenticationUI = .allow
    /// The match keys of the dictionary, by their place in ``QueryKey/rows``.
    package var matchKeys: UInt64 = 0
    /// Lists the attributes of the items of all groups. Only the inspecting command may ask for this; the policy
    /// decides.
    package var inspectsAllGroups = false
    /// Delete is to leave no tombstone (`kSecUseTombstones` false), which decides nothing: other machines would bring
    /// the item back.
    package var withoutTombstones = false
    /// Delete keeps no version of the item, and deletes the kept ones.
    package var leavesNoHistory = false
    /// Add updates an existing item with the same primary key (`kSecUseUpdateExisting`).
    package var updatesExisting = false
    /// Every match counts: "nothing" would be a false answer. One that is not as it was written refuses the request.
    /// One whose protection class is closed is given where its reference alone is wanted.
    package var missesNothing = false
    /// Where an enumeration continues: behind this row.
    package var cursor: UInt64 = 0
    /// The query, or for add the item; also value data, persistent reference and the host to match.
    package var query: AttributeList
    /// The changes of an update. For a restore they hold the modification date that selects the version, and are empty
    /// for the last version of a deleted item. They can hold the number of a version that has lost to another machine's
    /// change.
    package var changes: AttributeList

    /// Whether the operation changes nothing.
    package var isSearch: Bool { operation == .copyMatching || operation == .history }
    /// Whether the operation frees space.
    package var makesLess: Bool { operation == .delete || operation == .forget }
    /// The moment whose version is restored, in seconds since 2001; nil for the last version of a deleted item.
    package var moment: Double? {
        guard operation == .restore, case .date(let moment)? = changes[.modificationDate] else { return nil }
        return moment
    }
    /// The number of the version that is restored, which has lost to another machine's change; nil for any other.
    package var lostVersion: Int64? { operation == .restore ? changes[.lostVersion]?.number : nil }
    package var isAddition: Bool { operation == .add }

    package init(_ operation: Operation, query: AttributeList = .empty, changes: AttributeList = .empty) {
        (self.operation, self.query, self.changes) = (operation, query, changes)
    }
}

/// Limits for stored data (rule items.value.size).
package enum ItemLimits {
    @inlinable package static var valueBytes: Int { 1 << 20 }
    /// Apple warns above 2 KiB for all attributes together.
    package static let attributeBytes = 64 << 10
    package static let dictionaryKeys = 128
}
