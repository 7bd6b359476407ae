import KeychainClient
import KeychainModel
import KeychainWire

/// The attributes of the items of all programs in the keychains of the search list, page by page, never a value.
struct KeychainListing {
    private let session: Session
    private let call: String
    /// The keychains some of whose items could not be read, because they are locked.
    private(set) var locked: [ChosenKeychain] = []

    /// Keychains that are left out.
    private let excluded: Set<ChosenKeychain>

    /// - Parameters:
    ///   - call: the verb, for refusals.
    ///   - excluded: keychains that are left out.
    init(_ session: Session, _ call: String, without excluded: Set<ChosenKeychain> = []) {
        (self.session, self.call, self.excluded) = (session, call, excluded)
    }

    private func inEach(_ body: () throws(CommandFailure) -> Void) throws(CommandFailure) {
        try session.inEach([], call) { () throws(CommandFailure) in
            if !excluded.contains(session.place) { try body() }
        }
    }

    /// Visits the items of the classes in the store's order. Those that are sealed now are left out.
    ///
    /// - Throws: the errors of `body`; every refusal of the keychain but that of a locked class.
    mutating func visit(
        _ classes: [ItemClass] = ItemClass.stored, _ body: (ListedItem) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        try inEach { () throws(CommandFailure) in try visitThis(classes, body) }
    }

    private mutating func visitThis(
        _ classes: [ItemClass], _ body: (ListedItem) throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        for itemClass in classes {
            guard let stopped = try visit(itemClass, nil, from: 0, body) else { continue }
            if locked.last != session.place { locked.append(session.place) }
            // A sealed row refuses the whole page: the protection classes that are open are read each by itself.
            for accessibility in Accessibility.allCases {
                _ = try visit(itemClass, accessibility, from: stopped, body)
            }
        }
    }

    /// Visits the last version of each deleted item of this command's.
    func visitDeleted(_ body: (ListedItem) throws(CommandFailure) -> Void) throws(CommandFailure) {
        try inEach { () throws(CommandFailure) in
            for item in try ItemSelection.everything.all(.history, call, session)
            where item.attributes[.versionEnd]?.number == Int64(VersionEnd.deleted.rawValue) {
                try body(ListedItem(item, in: session.place, isDeleted: true))
            }
        }
    }

    /// The present version of an item; nil when there is none any more.
    func item(
        _ reference: PersistentReference, in keychain: ChosenKeychain
    ) throws(CommandFailure) -> ListedItem? {
        guard let bytes = reference.bytes else { return nil }
        try session.turn(to: keychain, call)
        do throws(CommandFailure) {
            let response = try session.send(call) { () throws(Refusal) in
                var builder = ItemRequestBuilder(.copyMatching)
                try builder.set("v_PersistentRef", .data(bytes))
                try builder.set("r_Attributes", .boolean(true))
                try builder.set("r_PersistentRef", .boolean(true))
                builder.inspectAllGroups()
                return try builder.build()
            }
            return response.items.first.map { ListedItem($0, in: keychain) }
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    /// The identities of one keychain.
    func identities(in keychain: ChosenKeychain) throws(CommandFailure) -> [ListedItem] {
        try session.turn(to: keychain, call)
        var (listing, found) = (self, [ListedItem]())
        try listing.visitThis([.identity]) { found.append($0) }
        return found
    }

    /// - Returns: the place of the page that was refused because the keychain is locked; nil at the end.
    private func visit(
        _ itemClass: ItemClass, _ accessibility: Accessibility?, from cursor: UInt64,
        _ body: (ListedItem) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> UInt64? {
        var next = try request(itemClass, accessibility, from: cursor)
        repeat {
            let page: ItemResponse
            do throws(CommandFailure) { page = try session.send(next, call) } catch {
                if error.isStatus(.itemNotFound) { return nil }
                guard error.isLocked else { throw error }
                return next.cursor
            }
            for item in page.items { try body(ListedItem(item, in: session.place)) }
            next.cursor = page.cursor
        } while next.cursor != 0
        return nil
    }

    private func request(
        _ itemClass: ItemClass, _ accessibility: Accessibility?, from cursor: UInt64
    ) throws(CommandFailure) -> ItemRequest {
        do throws(Refusal) {
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(itemClass.code))
            try builder.set("sync", .string("syna"))
            if let accessibility { try builder.set("pdmn", .string(accessibility.code)) }
            try builder.set("m_Limit", .string("m_LimitAll"))
            try builder.set("r_Attributes", .boolean(true))
            try builder.set("r_PersistentRef", .boolean(true))
            builder.inspectAllGroups()
            var request = try builder.build()
            request.cursor = cursor
            return request
        } catch { throw .refused(call: call, error) }
    }
}
