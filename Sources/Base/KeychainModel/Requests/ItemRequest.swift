/// One of the verbs with its dictionaries, as it travels from the caller to the engine.
///
/// It says what the caller asked for, not that it may: ``check()`` holds it against the rules, the policy module
/// against the caller's groups.
package struct ItemRequest: Sendable {
    package enum Operation: UInt8, Sendable {
        case add = 1
        case copyMatching = 2
        case update = 3
        case delete = 4
        /// The earlier versions of items, of those that are no more too: their attributes, with when and how each
        /// ended.
        case history = 5
        /// Brings back a deleted item, or an earlier version of one that is there.
        case restore = 6
        /// Drops the earlier versions of items.
        case forget = 7
    }

    /// How many items a query gives back.
    package enum Limit: Hashable, Sendable {
        case one
        case all
        case atMost(UInt32)
    }

    /// What happens when the user would have to be asked (semantics B.6).
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
    /// The match keys the dictionary had, by their place in ``QueryKey/rows``.
    package var matchKeys: UInt64 = 0
    /// Asked for by the inspecting command alone: the attributes of all groups' items (the policy decides).
    package var inspectsAllGroups = false
    /// Delete leaves no tombstone behind (`kSecUseTombstones` false).
    package var withoutTombstones = false
    /// Delete keeps no version of the item, and drops those that were kept.
    package var leavesNoHistory = false
    /// Add changes the item that has the same primary key, if there is one (`kSecUseUpdateExisting`).
    package var updatesExisting = false
    /// Where an enumeration goes on: the row after this one.
    package var cursor: UInt64 = 0
    /// The query, or for add the item; also value data, persistent reference and host to match.
    package var query: AttributeList
    /// What update changes; for restore the modification date, which says of when the version is to be, and nothing for
    /// the last version of a deleted item.
    package var changes: AttributeList

    /// Whether performing it changes nothing.
    package var isSearch: Bool { operation == .copyMatching || operation == .history }
    /// Whether there is less afterwards.
    package var makesLess: Bool { operation == .delete || operation == .forget }
    /// Of when the version is to be that restore brings back: seconds since 2001; nil for the last one of a deleted
    /// item.
    package var moment: Double? {
        guard operation == .restore, case .date(let moment)? = changes[.modificationDate] else { return nil }
        return moment
    }
    package var isAddition: Bool { operation == .add }

    package init(_ operation: Operation, query: AttributeList = .empty, changes: AttributeList = .empty) {
        (self.operation, self.query, self.changes) = (operation, query, changes)
    }
}

/// Limits on what a program can ask to be kept (semantics B.4, issue: values up to 1 MiB).
package enum ItemLimits {
    @inlinable package static var valueBytes: Int { 1 << 20 }
    /// Attributes describe; Apple warns above 2 KiB for all of them together.
    package static let attributeBytes = 64 << 10
    package static let dictionaryKeys = 128
}
