package import LinuxSystem

/// Builds an ``ItemRequest`` from a program's dictionary, key by key (rule queries.keys.dispatch).
///
/// It knows the keys and the kinds of their values; ``ItemRequest/check()`` decides which may be combined.
package struct ItemRequestBuilder: ~Copyable {
    private var request: ItemRequest
    let query = SecretBuffer(capacity: 512)
    private var changes: SecretBuffer?
    private var keys = 0
    /// The entries of the query dictionary itself; the value has the last place.
    private(set) var present: AttributeSet = 0
    /// The text of the prompt (`kSecUseOperationPrompt`); it is not part of the request.
    package private(set) var operationPrompt: String?

    package init(_ operation: ItemRequest.Operation) { request = ItemRequest(operation) }

    /// Takes one entry of the query dictionary, or of the item dictionary for an add.
    ///
    /// - Throws: `errSecParam`, `errSecNoSuchAttr`, `errSecNoSuchClass`, `errSecMissingEntitlement` or
    ///   `errSecUnimplemented`, depending on the table of keys.
    package mutating func set(_ key: DictionaryKey, _ raw: RawValue) throws(Refusal) {
        try count()
        switch key.meaning {
        case .attribute(let row)?:
            let attribute = AttributeTable.rows[row]
            present |= attribute.id.bit
            try append(attribute, raw, to: query)
        case .query(let row, _)?: try apply(row, raw)
        case nil: try set(unlisted: key.code, raw)
        }
    }

    private mutating func set(unlisted key: String, _ raw: RawValue) throws(Refusal) {
        if key == "nleg" { return }
        // A key of four characters can only name an attribute, whatever it begins with.
        guard key.utf16.count != 4 else { throw .unknownKey(key) }
        if key.hasPrefix("f") { return }
        guard let row = QueryKey.find(key) else { throw .unknownKey(key) }
        try apply(row, raw)
    }

    /// Takes an entry whose value is data, without copying a secret value into ordinary memory.
    package mutating func set(_ key: DictionaryKey, data: Span<UInt8>) throws(Refusal) {
        guard case .valueData? = key.role else { return try set(key, .data(data.array(0, data.count))) }
        try count()
        present |= AttributeID.valueData.bit
        try append(value: data, to: query)
    }

    /// Takes the class of an object given by reference. A search for identities may name a certificate or a key.
    ///
    /// - Throws: `errSecParam` when the dictionary names a class that such an object does not belong to.
    package mutating func setClass(ofReference itemClass: ItemClass) throws(Refusal) {
        // An identity always has its own class, whatever the dictionary says.
        if itemClass == .identity { request.itemClass = .identity }
        let isHalf = request.itemClass == .identity && request.operation != .add
        guard let named = request.itemClass, named != itemClass, !isHalf else {
            return request.itemClass = request.itemClass ?? itemClass
        }
        throw Refusal(
            .param, .contradiction, "v_Ref",
            "kSecValueRef is an object of \(itemClass.constant), but kSecClass says \(named.constant).",
            do: "Leave kSecClass out, or give the class of the object.")
    }

    /// Drops all results for an identity given by reference, except a persistent reference requested alone. Apple's
    /// systems search for its halves and return nothing else for both.
    package mutating func returnIdentity() {
        guard case .one = request.limit else { return request.returns = [] }
        if request.returns != .persistentReference { request.returns = [] }
    }

    /// Takes an attribute of an object given by reference, unless the dictionary has it.
    package mutating func fill(_ id: AttributeID, _ value: AttributeValue) {
        guard present & id.bit == 0 else { return }
        present |= id.bit
        query.append(id, value)
    }

    /// Takes the value of an object given by reference, unless the dictionary has one.
    ///
    /// - Throws: `errSecParam` when it is too large for an item.
    package mutating func fill(value: SecretBytes) throws(Refusal) {
        guard present & AttributeID.valueData.bit == 0 else { return }
        present |= AttributeID.valueData.bit
        try value.withSpan { (bytes) throws(Refusal) in try append(value: bytes, to: query) }
    }

    /// Takes one entry of update's second dictionary: only attributes and the value are allowed (rule
    /// items.update.keys).
    package mutating func change(_ key: DictionaryKey, _ raw: RawValue) throws(Refusal) {
        try count()
        if let attribute = key.attribute {
            // The user partition is ignored silently, as in Apple's engine.
            return attribute.id == .multiUser ? () : try append(attribute, raw, to: listOfChanges())
        }
        if case .query(let row, .valueData)? = key.meaning { throw .wrongType(QueryKey.rows[row], raw, "data") }
        if QueryKey.key(ofConstant: key.code) != nil { throw .unknownKey(key.code) }
        throw Refusal(
            .noSuchAttribute, .unknownAttribute, key.code,
            "\"\(key.code)\" is not an attribute, and update changes nothing else.",
            do: "Put it into the query, the first dictionary, or leave it out.")
    }

    /// Takes an entry of update's second dictionary whose value is data.
    package mutating func change(_ key: DictionaryKey, data: Span<UInt8>) throws(Refusal) {
        guard case .valueData? = key.role else { return try change(key, .data(data.array(0, data.count))) }
        try count()
        try append(value: data, to: listOfChanges())
    }

    /// Requests the attributes of the items of all groups, which only the inspecting command may do.
    package mutating func inspectAllGroups() { request.inspectsAllGroups = true }

    /// Makes a delete keep no version of the item.
    package mutating func leaveNoHistory() { request.leavesNoHistory = true }

    /// Makes every match count, also one that does not open.
    package mutating func missNothing() { request.missesNothing = true }

    /// Requests the version of a moment, in seconds since 2001.
    package mutating func restore(asOf moment: Double) { listOfChanges().append(.modificationDate, .date(moment)) }

    /// Requests the version with a number, which has lost to another machine's change.
    package mutating func restore(lost number: Int64) { listOfChanges().append(.lostVersion, .number(number)) }

    /// The finished request.
    package consuming func build() throws(Refusal) -> ItemRequest {
        do throws(AttributeList.Malformed) {
            request.query = try AttributeList(parsing: query.finish())
            if let changes { request.changes = try AttributeList(parsing: changes.finish()) }
        } catch { throw .tooManyKeys }
        return request
    }

    /// The list of changes, which only some operations have.
    mutating func listOfChanges() -> SecretBuffer {
        let list = changes ?? SecretBuffer(capacity: 512)
        changes = list
        return list
    }

    private mutating func apply(_ row: Int, _ raw: RawValue) throws(Refusal) {
        let key = QueryKey.rows[row]
        if key.isMatch { request.matchKeys |= 1 << UInt64(row) }
        switch key.role {
        case .itemClass: request.itemClass = try Self.itemClass(raw)
        case .matchLimit: request.limit = try Self.limit(raw)
        case .matchHost: query.append(.hostOrSubdomain, .string(try Self.string(key, raw)))
        case .returnFlag(let flag): if try Self.boolean(key, raw) { request.returns.insert(flag) }
        case .persistentReference: query.append(.persistentReference, .data(try Self.data(key, raw)))
        case .authenticationUI: request.authenticationUI = try Self.authenticationUI(raw)
        case .noAuthenticationUI: if try Self.boolean(key, raw) { request.authenticationUI = .fail }
        case .operationPrompt: operationPrompt = try Self.string(key, raw)
        case .authenticationContext: throw .wrongType(key, raw, "an LAContext")
        case .useTombstones: request.withoutTombstones = try !Self.boolean(key, raw)
        case .updateExisting: request.updatesExisting = try Self.boolean(key, raw)
        case .valueData: throw .wrongType(key, raw, "data")
        case .valueReference: throw .wrongType(key, raw, "a SecKey, a SecCertificate or a SecIdentity")
        case .useRestricted: throw .restricted(key)
        case .useItemList: if request.operation == .add { throw request.notHere(key.constant, key.code) }
        case .matchCertificate, .matchIgnored, .useAccepted, .searchList, .keychain: break
        }
    }

    private func append(_ attribute: ItemAttribute, _ raw: RawValue, to list: SecretBuffer) throws(Refusal) {
        guard attribute.id != .restricted else { throw .restricted(attribute) }
        let value = try attribute.accept(raw)
        list.append(attribute.id, value)
    }

    private func append(value: Span<UInt8>, to list: SecretBuffer) throws(Refusal) {
        guard value.count <= ItemLimits.valueBytes else { throw .valueTooLarge(value.count) }
        list.append(.valueData, .data, value)
    }

    private mutating func count() throws(Refusal) {
        keys += 1
        guard keys <= ItemLimits.dictionaryKeys else { throw .tooManyKeys }
    }
}

/// The same methods with the code of the key.
extension ItemRequestBuilder {
    package mutating func set(_ code: String, _ raw: RawValue) throws(Refusal) { try set(DictionaryKey(code), raw) }

    package mutating func set(_ code: String, data: Span<UInt8>) throws(Refusal) {
        try set(DictionaryKey(code), data: data)
    }

    package mutating func change(_ code: String, _ raw: RawValue) throws(Refusal) {
        try change(DictionaryKey(code), raw)
    }

    package mutating func change(_ code: String, data: Span<UInt8>) throws(Refusal) {
        try change(DictionaryKey(code), data: data)
    }
}
