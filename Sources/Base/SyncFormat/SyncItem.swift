package import KeychainModel
package import LinuxSystem

/// The body of an item's record, or of its tombstone.
///
///     body = listLength:u32 list ties:u8 [rid:16] [hlc:u64] valueLength:u32 value zeros      ; a multiple of 32 bytes
///
/// `list` is the attribute list of the store. `ties` says which of the two that may follow are there (``Ties``).
package struct SyncItem: Sendable {
    package let attributes: AttributeList
    package let ties: Ties
    package let value: SecretBytes

    /// Earlier versions, as far as a version names them.
    package struct Ties: Hashable, Sendable {
        /// The record that an item was before it took another primary key. Bit 0 says that it is there.
        package let previous: RecordID?
        /// The stamp of the version that it was made from, of those that other machines may have; nil where its author
        /// knew of none. Bit 1 says that it is there.
        package let base: UInt64?

        package static let none = Ties()

        package init(previous: RecordID? = nil, base: UInt64? = nil) { (self.previous, self.base) = (previous, base) }

        fileprivate init(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
            let flags = try cursor.integer(UInt8.self, in: span)
            guard flags <= 3 else { throw .value }
            previous = flags & 1 != 0 ? try cursor.identifier(RecordID.self, in: span) : nil
            base = flags & 2 != 0 ? try cursor.time(in: span) : nil
        }

        fileprivate func append(to buffer: SecretBuffer) {
            buffer.append((previous == nil ? 0 : 1) | (base == nil ? 0 : 2))
            if let previous { buffer.append(previous.bytes.span) }
            if let base { buffer.append(littleEndian: base) }
        }
    }

    /// The longest list: that of a request.
    private static let listBytes = 512 << 10

    package init(_ attributes: AttributeList, _ ties: Ties = .none, value: SecretBytes) {
        (self.attributes, self.ties, self.value) = (attributes, ties, value)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a body.
    package init(decoding span: Span<UInt8>) throws(SyncMalformed) {
        guard span.count % 32 == 0 else { throw .length }
        var cursor = SyncCursor(0..<span.count)
        let list = try cursor.run(atMost: Self.listBytes, in: span)
        ties = try Ties(&cursor, in: span)
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
        ties.append(to: buffer)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: value.count))
        value.withSpan { buffer.append($0) }
        buffer.append(count: (32 - buffer.count % 32) % 32) { _ in }
        return buffer.finish()
    }

    /// The earlier versions that a body names; none where it is no body.
    static func ties(in span: Span<UInt8>) -> Ties {
        var cursor = SyncCursor(0..<span.count)
        guard (try? cursor.run(atMost: listBytes, in: span)) != nil, let ties = try? Ties(&cursor, in: span) else {
            return .none
        }
        return ties
    }
}

extension SyncRecord {
    /// The earlier versions that the one of an item or of a tombstone names; none for all else, and in a box.
    package var ties: SyncItem.Ties {
        guard kind == Kind.item || kind == Kind.tombstone, !isBoxed else { return .none }
        return withBody { SyncItem.ties(in: $0) }
    }

    /// The record that an item was before it took another primary key; nil where it says none, and for all else.
    package var previous: RecordID? { kind == Kind.item ? ties.previous : nil }
}
