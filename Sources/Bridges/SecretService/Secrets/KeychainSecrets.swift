import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The collections and items in the keychain. All are generic passwords of the bridge's own access group.
///
/// An item's service is ``service`` and a slash with its collection's name; a collection that was made has an item with
/// the service ``service`` itself. The account only makes an item unique.
final class KeychainSecrets {
    private let connect: () throws(Refusal) -> any KeychainConnection
    private var connection: (any KeychainConnection)?

    static let service = "org.freedesktop.secrets"

    init(_ connect: @escaping () throws(Refusal) -> any KeychainConnection) { self.connect = connect }

    /// The connection, made at the first use.
    ///
    /// - Throws: `errSecNotAvailable` when the daemon cannot be reached.
    func reach() throws(Refusal) -> any KeychainConnection {
        if let connection { return connection }
        let made = try connect()
        connection = made
        return made
    }

    /// The collections that were made.
    func collections() throws(Refusal) -> [SecretCollection] {
        try find(service: Self.service).compactMap { item in
            guard let name = item.attributes[.account]?.string, let reference = item.reference else { return nil }
            let aliases = item.lookup.pairs.keys.sorted()
            return SecretCollection(
                name: name, label: item.attributes[.label]?.string ?? "", aliases: aliases,
                created: item.date(.creationDate), modified: item.date(.modificationDate), reference: reference)
        }
    }

    /// The items with all these attributes, the newest first.
    ///
    /// - Parameters:
    ///   - wanted: none for all items.
    ///   - collection: nil for all collections.
    func items(_ wanted: [String: String] = [:], in collection: String? = nil) throws(Refusal) -> [SecretItem] {
        let service = collection.map { "\(Self.service)/\($0)" }
        return try find(service: service, wanted).compactMap(Self.item).sorted { $0.created > $1.created }
    }

    /// The names of a collection's items, as many as are wanted at most.
    func names(in collection: String, atMost count: Int) throws(Refusal) -> [String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        try builder.set("svce", .string("\(Self.service)/\(collection)"))
        try builder.set("r_PersistentRef", .boolean(true))
        var request = try builder.build()
        request.limit = .atMost(UInt32(clamping: count))
        return try send(request).compactMap(\.reference).map(Self.name)
    }

    /// The item with a name; nil when there is none.
    func item(named name: String, in collection: String) throws(Refusal) -> SecretItem? {
        guard let reference = Self.reference(of: name) else { return nil }
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("v_PersistentRef", .data(reference))
        for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
        let found = try send(try builder.build()).first.flatMap(Self.item)
        return found?.collection == collection ? found : nil
    }

    private static func item(_ item: ItemResponse.Item) -> SecretItem? {
        guard let reference = item.reference, let service = item.attributes[.service]?.string,
            service.hasPrefix(Self.service + "/")
        else { return nil }
        return SecretItem(
            name: name(of: reference), collection: String(service.dropFirst(Self.service.count + 1)),
            label: item.attributes[.label]?.string ?? "", lookup: item.lookup, created: item.date(.creationDate),
            modified: item.date(.modificationDate), reference: reference)
    }

    /// An item's value.
    func value(of item: SecretItem) throws(Refusal) -> SecretBytes {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("v_PersistentRef", .data(item.reference))
        try builder.set("r_Data", .boolean(true))
        let response = try reach().send(try builder.build())
        return response.items.first?.attributes.secret(.valueData) ?? SecretBytes(count: 0)
    }

    /// Adds an item and gives its name in a path.
    func add(
        to collection: String, label: String, _ lookup: LookupAttributes, _ value: SecretBytes
    ) throws(Refusal) -> String {
        let account = Randomness.bytes(16).map { String($0, radix: 16) }.joined(separator: "")
        let reference = try add(service: "\(Self.service)/\(collection)", account: account, label, lookup, value)
        return Self.name(of: reference)
    }

    /// Makes a collection.
    func addCollection(_ name: String, label: String, aliases: [String]) throws(Refusal) {
        _ = try add(
            service: Self.service, account: name, label, Self.record(of: aliases), SecretBytes(count: 0))
    }

    /// Changes an item, and its value if there is a new one.
    func change(_ reference: [UInt8], _ change: SecretChange, value: SecretBytes? = nil) throws(Refusal) {
        var builder = ItemRequestBuilder(.update)
        try builder.set("v_PersistentRef", .data(reference))
        if let label = change.label { try builder.change("labl", .string(label)) }
        if let lookup = change.lookup { try builder.change("satt", .data(lookup.encoded)) }
        if let value { try value.withSpan { (bytes) throws(Refusal) in try builder.change("v_Data", data: bytes) } }
        _ = try reach().send(try builder.build())
    }

    /// Gives a collection other aliases.
    func setAliases(_ aliases: [String], of collection: SecretCollection) throws(Refusal) {
        try change(collection.reference, SecretChange(lookup: Self.record(of: aliases)))
    }

    /// Deletes an item, or the record of a collection.
    func delete(_ reference: [UInt8]) throws(Refusal) {
        var builder = ItemRequestBuilder(.delete)
        try builder.set("v_PersistentRef", .data(reference))
        _ = try reach().send(try builder.build())
    }

    /// Deletes a collection and its items.
    func deleteCollection(_ collection: SecretCollection) throws(Refusal) {
        for item in try items(in: collection.name) { try delete(item.reference) }
        try delete(collection.reference)
    }

    // MARK: - Requests

    private func find(
        service: String?, _ wanted: [String: String] = [:]
    ) throws(Refusal) -> [ItemResponse.Item] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        if let service { try builder.set("svce", .string(service)) }
        if !wanted.isEmpty { try builder.set("satt", .data(LookupAttributes(pairs: wanted).encoded)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        for key in ["r_Attributes", "r_PersistentRef"] { try builder.set(key, .boolean(true)) }
        return try send(try builder.build())
    }

    /// The items that are found; none is no error.
    private func send(_ request: ItemRequest) throws(Refusal) -> [ItemResponse.Item] {
        do throws(Refusal) { return try reach().sendAll(request).items } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    private func add(
        service: String, account: String, _ label: String, _ lookup: LookupAttributes, _ value: SecretBytes
    ) throws(Refusal) -> [UInt8] {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        try builder.set("svce", .string(service))
        try builder.set("acct", .string(account))
        try builder.set("labl", .string(label))
        try builder.set("satt", .data(lookup.encoded))
        // As other keyrings, this one is open from the first unlock on.
        try builder.set("pdmn", .string("ck"))
        try builder.set("r_PersistentRef", .boolean(true))
        try value.withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
        return try reach().send(try builder.build()).items.first?.reference ?? []
    }

    private static func record(of aliases: [String]) -> LookupAttributes {
        LookupAttributes(pairs: Dictionary(uniqueKeysWithValues: aliases.map { ($0, "") }))
    }

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

    private static func name(of reference: [UInt8]) -> String {
        reference.dropFirst(4).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

extension ItemResponse.Item {
    fileprivate var reference: [UInt8]? { attributes[.persistentReference]?.bytes }

    fileprivate var lookup: LookupAttributes {
        attributes[.lookupAttributes].flatMap { LookupAttributes($0.bytes) } ?? LookupAttributes(pairs: [:])
    }

    /// Seconds since 1970.
    fileprivate func date(_ id: AttributeID) -> Double {
        guard case .date(let seconds)? = attributes[id] else { return 0 }
        return seconds + 978_307_200
    }
}
