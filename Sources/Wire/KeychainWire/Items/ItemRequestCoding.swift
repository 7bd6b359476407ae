package import KeychainModel
package import LinuxSystem

/// The body of an item request.
///
///     body = operation:u8 class:u8 returns:u8 ui:u8 options:u8 zero:u8 zero:u16
///            limit:u32 matchKeys:u64 cursor:u64 queryLength:u32 query:list changes:list
///
/// `class` 0 is none; `limit` 0 is all, 1 one. Options: bit 0 inspects all groups, bit 1 leaves no tombstones. Bit 2
/// changes the item an add would double, bit 3 keeps no version of what is deleted. Bit 4 misses no match.
extension ItemRequest {
    private static let fixedSize = 32

    /// Appends the body to a frame under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(operation.rawValue)
        buffer.append(itemClass?.rawValue ?? 0)
        buffer.append(returns.rawValue)
        buffer.append(authenticationUI.rawValue)
        let ways = (inspectsAllGroups ? 1 : 0) | (withoutTombstones ? 2 : 0) | (updatesExisting ? 4 : 0)
        buffer.append(UInt8(ways | (leavesNoHistory ? 8 : 0) | (missesNothing ? 16 : 0)))
        buffer.append(0)
        buffer.append(littleEndian: UInt16(0))
        buffer.append(littleEndian: limit.number)
        buffer.append(littleEndian: matchKeys)
        buffer.append(littleEndian: cursor)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: query.encodedCount))
        query.append(to: buffer)
        changes.append(to: buffer)
    }

    /// Reads a body; the attribute lists stay where they are, in `body`.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly a body.
    package init(decoding body: SecretBytes) throws(Refusal) {
        guard body.count >= Self.fixedSize else { throw .malformed("the request's beginning") }
        let fixed = body.withSpan { Fixed($0) }
        guard let operation = Operation(rawValue: fixed.operation) else { throw .malformed("the operation") }
        guard fixed.queryLength <= body.count - Self.fixedSize else { throw .malformed("the query's length") }
        let split = Self.fixedSize + fixed.queryLength
        do throws(AttributeList.Malformed) {
            self.init(
                operation, query: try AttributeList(parsing: body, in: Self.fixedSize..<split),
                changes: try AttributeList(parsing: body, in: split..<body.count))
        } catch { throw .malformed("an attribute list") }
        try apply(fixed)
    }

    private struct Fixed {
        let operation, itemClass, returns, ui, options, reserved: UInt8
        let limit: UInt32
        let matchKeys, cursor: UInt64
        let queryLength: Int

        init(_ span: Span<UInt8>) {
            (operation, itemClass, returns, ui) = (span[0], span[1], span[2], span[3])
            (options, reserved) = (span[4], span[5] | span[6] | span[7])
            limit = span.littleEndian(UInt32.self, at: 8)
            matchKeys = span.littleEndian(UInt64.self, at: 12)
            cursor = span.littleEndian(UInt64.self, at: 20)
            queryLength = Int(span.littleEndian(UInt32.self, at: 28))
        }
    }

    private mutating func apply(_ fixed: Fixed) throws(Refusal) {
        itemClass = ItemClass(rawValue: fixed.itemClass)
        guard itemClass != nil || fixed.itemClass == 0 else { throw .malformed("the item class") }
        guard fixed.returns < 16, fixed.options < 32, fixed.reserved == 0 else { throw .malformed("an option") }
        guard let ui = AuthenticationUI(rawValue: fixed.ui) else { throw .malformed("an option") }
        guard fixed.matchKeys >> UInt64(QueryKey.rows.count) == 0 else { throw .malformed("a match key") }
        guard fixed.cursor <= UInt64(Int64.max) else { throw .malformed("the cursor") }
        returns = ReturnFlags(rawValue: fixed.returns)
        authenticationUI = ui
        inspectsAllGroups = fixed.options & 1 != 0
        withoutTombstones = fixed.options & 2 != 0
        updatesExisting = fixed.options & 4 != 0
        leavesNoHistory = fixed.options & 8 != 0
        missesNothing = fixed.options & 16 != 0
        limit = Limit(number: fixed.limit)
        matchKeys = fixed.matchKeys
        cursor = fixed.cursor
    }
}

extension ItemRequest.Limit {
    fileprivate var number: UInt32 {
        switch self {
        case .all: 0
        case .one: 1
        case .atMost(let count): count
        }
    }

    fileprivate init(number: UInt32) {
        self = number == 0 ? .all : number == 1 ? .one : .atMost(number)
    }
}
