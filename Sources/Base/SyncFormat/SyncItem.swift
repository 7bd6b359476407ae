package import KeychainModel
package import LinuxSystem

/// The body of an item's record, or of its tombstone.
///
///     body = listLength:u32 list previous:u8 [rid:16] valueLength:u32 value zeros      ; a multiple of 32 bytes long
///
/// `list` is the attribute list of the store. `previous` is 1 where the item has taken another primary key: the record
/// that it had been before follows.
package struct SyncItem: Sendable {
    package let attributes: AttributeList
    package let previous: RecordID?
    package let value: SecretBytes

    /// The longest list: that of a request.
    private static let listBytes = 512 << 10

    package init(_ attributes: AttributeList, previous: RecordID? = nil, value: SecretBytes) {
        (self.attributes, self.previous, self.value) = (attributes, previous, value)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a body.
    package init(decoding span: Span<UInt8>) throws(SyncMalformed) {
        guard span.count % 32 == 0 else { throw .length }
        var cursor = SyncCursor(0..<span.count)
        let list = try cursor.run(atMost: Self.listBytes, in: span)
        let flag = try cursor.integer(UInt8.self, in: span)
        guard flag <= 1 else { throw .value }
        previous = flag == 1 ? try cursor.identifier(RecordID.self, in: span) : nil
        let value = try cursor.run(atMost: ItemLimits.valueBytes, in: span)
        guard cursor.remaining < 32 else { throw .padding }
        try cursor.zeros(in: span)
        self.value = SecretBytes(copying: span.extracting(value))
        guard let attributes = try? AttributeList(parsing: SecretBytes(copying: span.extracting(list))) else {
            throw .value
        }
        self.attributes = attributes
    }

    /// The body.
    package func encoded() -> SecretBytes {
        let buffer = SecretBuffer(capacity: 512)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: attributes.encodedCount))
        attributes.append(to: buffer)
        buffer.append(previous == nil ? 0 : 1)
        if let previous { buffer.append(previous.bytes.span) }
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: value.count))
        value.withSpan { buffer.append($0) }
        buffer.append(count: (32 - buffer.count % 32) % 32) { _ in }
        return buffer.finish()
    }
}

extension SyncRecord {
    /// The record that an item was before it took another primary key; nil where it says none, and for all else.
    package var previous: RecordID? {
        guard kind == Kind.item, !isBoxed else { return nil }
        return withBody { span in (try? SyncItem(decoding: span))?.previous }
    }
}
