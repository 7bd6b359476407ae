import LinuxSystem

@testable import KeychainModel

/// Lists of attributes, and the rules for each class and verb.
///
///     input = operation:u8 class:u8 count:u16 query changes
///
/// A list is found again entry by entry, and makes the same list. A request that the rules let pass names a class, has
/// attributes of that class alone, and asks for nothing that is not understood.
func fuzzAttributes(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let (operation, itemClass) = (input.byte(), input.byte())
    guard let query = list(input.longRun()), let changes = list(input.rest()) else { return }
    guard let operation = ItemRequest.Operation(rawValue: operation % 7 + 1) else { fatalError("a verb is missing") }
    var request = ItemRequest(operation, query: query, changes: changes)
    request.itemClass = ItemClass(rawValue: itemClass & 7)
    request.returns = ReturnFlags(rawValue: itemClass >> 4)
    if verdict(request) == nil { checkAllowed(request) }
}

private func list(_ bytes: [UInt8]) -> AttributeList? {
    guard let list = try? AttributeList(parsing: SecretBytes(bytes)) else { return nil }
    var end = 0
    let copy = SecretBuffer(capacity: bytes.count)
    for entry in list.entries {
        require(entry.offset == end + AttributeList.headerSize, "an entry begins within another")
        end = entry.offset + entry.length
        require(end <= bytes.count, "an entry ends behind the list")
        copy.append(entry.id, entry.kind, bytes[entry.offset..<end].span)
        require(list.entry(entry.id) != nil, "an entry is not found by its number")
        check(entry, of: list, Array(bytes[entry.offset..<end]))
    }
    require(end == bytes.count && copy.withSpan { $0.isEqual(to: bytes.span) }, "another list")
    require(list.entries.count <= AttributeList.maximumEntries, "more entries than there may be")
    return list
}

/// A value is written as it was read; a text that is none has no value.
private func check(_ entry: AttributeList.Entry, of list: AttributeList, _ bytes: [UInt8]) {
    guard let value = list.value(entry) else {
        return require(entry.kind == .string && String(validating: bytes, as: UTF8.self) == nil, "a value is missing")
    }
    let encoded = written { $0.append(entry.id, value) }
    require(Array(encoded.dropFirst(AttributeList.headerSize)) == bytes, "a value is written as another one")
}

private func checkAllowed(_ request: ItemRequest) {
    guard let itemClass = request.effectiveClass else { return require(request.identityParts != nil, "no class") }
    for list in [request.query, request.changes] {
        if let control = list.accessControl {
            require(AccessConstraint(flags: control.flags ?? 0).isUnderstood, "a demand that nobody understands")
        }
        for entry in list.entries {
            guard let attribute = AttributeTable.rows.first(where: { $0.id == entry.id }) else { continue }
            let isOfClass = itemClass == .identity || attribute.classes.contains(itemClass)
            require(isOfClass, "\(attribute.code) passes for \(itemClass)")
        }
    }
}

extension FuzzSeeds {
    static func ofAttributes() -> [[UInt8]] {
        var seeds: [[UInt8]] = []
        for request in items {
            let query = request.query.withEncoded { $0.array(0, $0.count) }
            let changes = request.changes.withEncoded { $0.array(0, $0.count) }
            let itemClass = (request.itemClass?.rawValue ?? 0) | request.returns.rawValue << 4
            seeds.append([request.operation.rawValue - 1, itemClass] + longEntry(query) + changes)
        }
        // Each attribute with a value of each kind.
        for attribute in AttributeTable.rows {
            let values: [AttributeValue] = [.string("ak"), .data([1, 2, 3]), .number(1), .date(1)]
            let encoded = values.map { value in written { $0.append(attribute.id, value) } }
            let itemClass = attribute.classes.first?.rawValue ?? 1
            seeds += encoded.map { [0, itemClass] + longEntry($0) }
            seeds += encoded.map { [1, itemClass | 0x20] + longEntry($0) }
            seeds += encoded.map { [2, itemClass] + longEntry([]) + $0 }
        }
        return seeds
    }
}
