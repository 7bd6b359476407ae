import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import Sandboxes

/// The collections and items in the keychain. All are generic passwords of one group: that which bridges have, wherever
/// they are installed, or that of one application in a sandbox.
///
/// An item's service is ``service`` and a slash with its collection's name; a collection that was made has an item with
/// the service ``service`` itself, its *record*. The account makes an item unique.
final class KeychainSecrets {
    private let connect: () throws(Refusal) -> any KeychainConnection
    private var connection: (any KeychainConnection)?
    private var hasGathered = false
    /// The collections whose deletion is not finished, and whether it is tried again. Their items are shown no more.
    private var unfinished: [String: Bool] = [:]

    static let service = "org.freedesktop.secrets"
    private let group: String
    /// Those whose connection these share.
    private let others: KeychainSecrets?

    init(_ connect: @escaping () throws(Refusal) -> any KeychainConnection) {
        (self.connect, group, others) = (connect, AccessGroup.secretService, nil)
    }

    /// The secrets of an application in a sandbox, over the same connection.
    init(of application: SandboxedApplication, sharing others: KeychainSecrets) {
        connect = { () throws(Refusal) in try others.reach() }
        group = SecretsOwner.application(application).group
        self.others = others
    }

    /// The connection, made at the first use.
    ///
    /// - Throws: `errSecNotAvailable` when the daemon cannot be reached.
    func reach() throws(Refusal) -> any KeychainConnection {
        if let connection { return connection }
        let made = try connect()
        connection = made
        return made
    }

    /// The connection, after the group has what bridges in other folders have stored.
    ///
    /// - Throws: also `errSecInteractionNotAllowed` while that is closed: nobody can say then what there is.
    func ready() throws(Refusal) -> any KeychainConnection {
        if let others { return try others.ready() }
        let connection = try reach()
        guard !hasGathered else { return connection }
        _ = try connection.device(.access(.gather), passcodes: [])
        hasGathered = true
        return connection
    }

    // MARK: - Looking up

    /// The collections that were made. Their records open before the first unlock; earlier releases closed them until
    /// then, and are followed.
    func collections() throws(Refusal) -> [SecretCollection] {
        let request = try search(service: Self.service) { (builder: inout ItemRequestBuilder) throws(Refusal) in
            for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
        }
        var found: [SecretCollection] = []
        for item in try send(request) {
            guard let name = item.attributes[.account]?.string, let reference = item.reference else { continue }
            if item.lookup.kind == Self.deleted {
                finishAtLeisure(name, reference)
                continue
            }
            if item.attributes.accessibility != .always { try open(reference) }
            found.append(
                SecretCollection(
                    name: name, label: item.attributes[.label]?.string ?? "", aliases: item.lookup.pairs.keys.sorted(),
                    created: item.date(.creationDate), modified: item.date(.modificationDate), reference: reference))
        }
        return found
    }

    /// The items with all these attributes, at least one.
    ///
    /// - Parameter collection: nil for all collections.
    /// - Throws: `errSecInteractionNotAllowed` before the first unlock, where there are such items; `store.damaged`
    ///   where one of them may be damaged.
    func items(_ wanted: LookupAttributes.Pairs, in collection: String?) throws(Refusal) -> [SecretItem] {
        try send(try search(items: wanted, in: collection)).compactMap(item)
    }

    /// As ``items(_:in:)``, a page at a time.
    func itemPages(
        _ wanted: LookupAttributes.Pairs, in collection: String?
    ) throws(Refusal) -> SecretPages<SecretItem> {
        SecretPages(try search(items: wanted, in: collection), of: self) { [unowned self] in item($0) }
    }

    private func search(
        items wanted: LookupAttributes.Pairs, in collection: String?
    ) throws(Refusal) -> ItemRequest {
        try search(service: Self.service(of: collection), wanted) {
            (builder: inout ItemRequestBuilder) throws(Refusal) in
            for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
        }
    }

    /// The names of the items with all these attributes, the oldest first; also before the first unlock.
    ///
    /// - Parameters:
    ///   - wanted: none for all items.
    ///   - collection: nil for all collections, and their records.
    ///   - count: so many at most; nil for all.
    func names(
        _ wanted: LookupAttributes.Pairs = [:], in collection: String?, atMost count: Int? = nil
    ) throws(Refusal) -> [String] {
        var request = try search(names: wanted, in: collection)
        if let count { request.limit = .atMost(UInt32(clamping: count)) }
        return try send(request).compactMap(Self.name)
    }

    /// As ``names(_:in:atMost:)``, a page at a time.
    func namePages(
        _ wanted: LookupAttributes.Pairs = [:], in collection: String?
    ) throws(Refusal) -> SecretPages<String> {
        SecretPages(try search(names: wanted, in: collection), of: self, Self.name)
    }

    private func search(
        names wanted: LookupAttributes.Pairs, in collection: String?
    ) throws(Refusal) -> ItemRequest {
        try search(service: Self.service(of: collection), wanted) {
            (builder: inout ItemRequestBuilder) throws(Refusal) in
            try builder.set("r_PersistentRef", .boolean(true))
        }
    }

    private static func name(_ item: ItemResponse.Item) -> String? { item.reference.map(name(of:)) }

    /// The item with a name, with its value if that is wanted; nil when there is none.
    func item(
        named name: String, in collection: String, withValue: Bool = false
    ) throws(Refusal) -> (item: SecretItem, value: SecretBytes)? {
        guard let reference = Self.reference(of: name) else { return nil }
        let keys = ["r_Attributes", "r_PersistentRef"] + (withValue ? ["r_Data"] : [])
        guard let found = try find(reference, keys), let item = self.item(found), item.collection == collection
        else { return nil }
        return (item, found.attributes.secret(.valueData) ?? SecretBytes(count: 0))
    }

    /// Whether there is an item with a name; also before the first unlock.
    func hasItem(named name: String) throws(Refusal) -> Bool {
        guard let reference = Self.reference(of: name) else { return false }
        return try find(reference, ["r_PersistentRef"]) != nil
    }

    private func find(_ reference: [UInt8], _ keys: [String]) throws(Refusal) -> ItemResponse.Item? {
        var builder = try naming(reference, .copyMatching)
        for key in keys { try builder.set(key, .boolean(true)) }
        builder.missNothing()
        return try send(try builder.build()).first
    }

    func item(_ item: ItemResponse.Item) -> SecretItem? {
        guard let reference = item.reference, let service = item.attributes[.service]?.string,
            service.hasPrefix(Self.service + "/")
        else { return nil }
        let collection = String(service.dropFirst(Self.service.count + 1))
        if unfinished[collection] != nil { return nil }
        return SecretItem(
            name: Self.name(of: reference), collection: collection,
            label: item.attributes[.label]?.string ?? "", lookup: item.lookup, created: item.date(.creationDate),
            modified: item.date(.modificationDate), reference: reference)
    }

    // MARK: - Changes

    /// Adds an item and gives its name in a path.
    ///
    /// - Parameters:
    ///   - replacing: an item with the same attributes that another bridge adds meanwhile is the same item: both have
    ///     the same account, and the daemon adds or changes in one step.
    ///   - note: a comment, by which ``deleteUnchanged(withNote:)`` finds it.
    func add(
        to collection: String, label: String, _ lookup: LookupAttributes, _ value: SecretBytes, replacing: Bool,
        note: String? = nil
    ) throws(Refusal) -> String {
        var builder = ItemRequestBuilder(.add)
        if let note { try builder.set("icmt", .string(note)) }
        try builder.set("svce", .string("\(Self.service)/\(collection)"))
        try builder.set("acct", .string(replacing ? lookup.account : Self.freshAccount()))
        // As other keyrings, this one is open from the first unlock on.
        try builder.set("pdmn", .string(Accessibility.afterFirstUnlock.code))
        if replacing {
            try builder.set("u_UpdateExisting", .boolean(true))
            builder.missNothing()
        }
        try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        return Self.name(of: try add(builder, label, lookup))
    }

    /// Makes a collection, or the record of one that always exists.
    ///
    /// - Parameter note: a comment, by which ``deleteEmptyCollections(withNote:)`` finds it.
    func addCollection(
        _ name: String, label: String, aliases: [ExactText], note: String? = nil
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(.add)
        if let note { try builder.set("icmt", .string(note)) }
        try builder.set("svce", .string(Self.service))
        try builder.set("acct", .string(name))
        // Before the first unlock clients must find the collections, to have them unlocked.
        try builder.set("pdmn", .string(Accessibility.always.code))
        _ = try add(builder, label, .record(of: aliases))
    }

    /// Changes an item, and its value if there is a new one.
    func change(_ reference: [UInt8], _ change: SecretChange, value: SecretBytes? = nil) throws(Refusal) {
        var builder = try naming(reference, .update)
        if let label = change.label { try builder.change("labl", .string(label)) }
        if let lookup = change.lookup { try builder.change("satt", .data(lookup.encoded)) }
        // The account may be that of the attributes that the item had.
        if change.hasOtherAttributes { try builder.change("acct", .string(Self.freshAccount())) }
        if let value { try value.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) } }
        _ = try ready().send(try builder.build())
    }

    /// Gives a collection other aliases.
    func setAliases(_ aliases: [ExactText], of collection: SecretCollection) throws(Refusal) {
        try change(collection.reference, SecretChange(lookup: .record(of: aliases)))
    }

    private func open(_ record: [UInt8]) throws(Refusal) {
        var builder = try naming(record, .update)
        try builder.change("pdmn", .string(Accessibility.always.code))
        _ = try ready().send(try builder.build())
    }

    /// Deletes an item, or the record of a collection. No earlier version stays: no client could ask for one.
    func delete(_ reference: [UInt8]) throws(Refusal) {
        var builder = try naming(reference, .delete)
        builder.leaveNoHistory()
        _ = try ready().send(try builder.build())
    }

    /// The kind of the record of a collection that is being deleted.
    private static let deleted = "org.freedesktop.secrets.deleted"

    /// Deletes a collection. From the first step on it is gone: a bridge that finds its record goes on.
    func deleteCollection(_ collection: SecretCollection) throws(Refusal) {
        var record = LookupAttributes.record(of: [])
        record.kind = Self.deleted
        try change(collection.reference, SecretChange(lookup: record))
        finishAtLeisure(collection.name, collection.reference)
    }

    /// Goes on with a deletion that was cut off. Where that fails, the collection is gone nevertheless, and this bridge
    /// leaves the rest to the next one: each call would wait for another failure. One for a lock is quick, and ends.
    private func finishAtLeisure(_ name: String, _ record: [UInt8]) {
        guard unfinished[name] ?? true else { return }
        do throws(Refusal) {
            try finishDeletion(of: name, record)
            unfinished[name] = nil
        } catch { unfinished[name] = error.status == .interactionNotAllowed }
    }

    /// Deletes all items of a collection in one transaction, then its record. No later collection has its name
    /// (``SecretCollection/freshName(for:)``), so another bridge that goes on with it deletes nothing else.
    private func finishDeletion(of name: String, _ record: [UInt8]) throws(Refusal) {
        var builder = ItemRequestBuilder(.delete)
        try begin(&builder)
        try builder.set("svce", .string("\(Self.service)/\(name)"))
        builder.leaveNoHistory()
        let request = try builder.build()
        do throws(Refusal) {
            do throws(Refusal) { _ = try ready().send(request) } catch {
                guard error.status == .itemNotFound else { throw error }
            }
            try delete(record)
        } catch {
            // Another bridge may have finished it meanwhile.
            guard error.status == .itemNotFound else { throw error }
        }
    }

    // MARK: - Requests

    /// The class and the group of all that it asks for.
    func begin(_ builder: inout ItemRequestBuilder) throws(Refusal) {
        try builder.set("class", .string(LookupAttributes.itemClass.code))
        try builder.set("agrp", .string(group))
    }

    /// A request for the item with a reference. A path of another owner's item leads to a reference as well. So the
    /// group of an application is named, and without a group no application's is meant.
    private func naming(
        _ reference: [UInt8], _ operation: ItemRequest.Operation
    ) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("v_PersistentRef", .data(reference))
        if others != nil { try builder.set("agrp", .string(group)) }
        return builder
    }

    private func add(
        _ begun: consuming ItemRequestBuilder, _ label: String, _ lookup: LookupAttributes
    ) throws(Refusal) -> [UInt8] {
        var builder = begun
        try begin(&builder)
        try builder.set("labl", .string(label))
        try builder.set("satt", .data(lookup.encoded))
        try builder.set("r_PersistentRef", .boolean(true))
        return try ready().send(try builder.build()).items.first?.reference ?? []
    }

    /// A search for all items of a service, or of all, with these attributes.
    func search(
        service: String?, _ wanted: LookupAttributes.Pairs = [:],
        _ returning: (inout ItemRequestBuilder) throws(Refusal) -> Void
    ) throws(Refusal) -> ItemRequest {
        var builder = ItemRequestBuilder(.copyMatching)
        try begin(&builder)
        if let service { try builder.set("svce", .string(service)) }
        if !wanted.isEmpty { try builder.set("satt", .data(LookupAttributes(pairs: wanted).encoded)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        try returning(&builder)
        builder.missNothing()
        return try builder.build()
    }

    /// The items that are found; none is no error.
    func send(_ request: ItemRequest) throws(Refusal) -> [ItemResponse.Item] {
        do throws(Refusal) { return try ready().sendAll(request).items } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    private static func service(of collection: String?) -> String? { collection.map { "\(service)/\($0)" } }

    private static func freshAccount() -> String { hexadecimal(Randomness.bytes(16)) }

    /// The persistent reference of a name, which is its part that is unique, in hexadecimal digits.
    private static func reference(of name: String) -> [UInt8]? {
        let digits = Array(name)
        guard digits.count == 32 else { return nil }
        var bytes = Array(ItemClass.genericPassword.code.utf8)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
            bytes.append(byte)
        }
        return bytes
    }

    private static func name(of reference: [UInt8]) -> String { hexadecimal(reference.dropFirst(4)) }
}

/// Two digits for each byte.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

extension LookupAttributes {
    /// The attributes of a collection's record: its aliases are the names.
    static func record(of aliases: [ExactText]) -> LookupAttributes {
        LookupAttributes(pairs: Dictionary(aliases.map { ($0, "") }, uniquingKeysWith: { first, _ in first }))
    }
}

extension ItemResponse.Item {
    var reference: [UInt8]? { attributes[.persistentReference]?.bytes }

    fileprivate var lookup: LookupAttributes { LookupAttributes(in: attributes) ?? LookupAttributes(pairs: [:]) }

    /// Seconds since 1970.
    func date(_ id: AttributeID) -> Double {
        guard case .date(let seconds)? = attributes[id] else { return 0 }
        return seconds + 978_307_200
    }
}
