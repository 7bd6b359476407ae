package import LinuxSystem

/// Attributes in the one encoding they have everywhere: in frames, in sealed rows, in results.
///
///     list  = *entry
///     entry = id:u16  kind:u8  zero:u8  length:u32  bytes        ; all integers little-endian
///
/// Parsing checks the structure and notes where each entry lies; values are made only when somebody asks.
package struct AttributeList: Sendable {
    /// Where an entry's bytes lie in the storage.
    package struct Entry: Sendable {
        package let id: AttributeID
        package let kind: AttributeValue.Kind
        package let offset: Int
        package let length: Int
    }

    /// The encoding is broken: an entry runs over the end, a kind is unknown, a number has not eight bytes.
    package struct Malformed: Error {
        package init() {}
    }

    /// More entries than any class has attributes is an attack, not a query.
    package static let maximumEntries = 128
    package static let headerSize = 8

    package let storage: SecretBytes
    package let entries: [Entry]

    package static let empty = AttributeList(storage: SecretBytes(count: 0), entries: [])

    private init(storage: SecretBytes, entries: [Entry]) {
        self.storage = storage
        self.entries = entries
    }

    /// Parses the whole of `range` of `storage`.
    ///
    /// - Throws: ``Malformed`` when the bytes are not exactly a list.
    package init(parsing storage: SecretBytes, in range: Range<Int>) throws(Malformed) {
        self.storage = storage
        entries = try storage.withSpan { span throws(Malformed) in try Self.parse(span, range) }
    }

    /// Parses all of `storage`.
    package init(parsing storage: SecretBytes) throws(Malformed) {
        try self.init(parsing: storage, in: 0..<storage.count)
    }

    package static func parse(_ span: Span<UInt8>, _ range: Range<Int>) throws(Malformed) -> [Entry] {
        guard range.upperBound <= span.count else { throw Malformed() }
        var entries: [Entry] = []
        entries.reserveCapacity(12)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let entry = try parseEntry(span, offset, range.upperBound)
            entries.append(entry)
            offset = entry.offset + entry.length
            guard entries.count <= maximumEntries else { throw Malformed() }
        }
        return entries
    }

    private static func parseEntry(_ span: Span<UInt8>, _ offset: Int, _ end: Int) throws(Malformed) -> Entry {
        guard offset + headerSize <= end, let kind = AttributeValue.Kind(rawValue: span[offset + 2]) else {
            throw Malformed()
        }
        let length = Int(span.littleEndian(UInt32.self, at: offset + 4))
        guard span[offset + 3] == 0, length <= end - offset - headerSize else { throw Malformed() }
        if kind == .number || kind == .date, length != 8 { throw Malformed() }
        let id = AttributeID(rawValue: span.littleEndian(UInt16.self, at: offset))
        return Entry(id: id, kind: kind, offset: offset + headerSize, length: length)
    }

    /// The entry for an attribute, if there is one; the first when a peer sent several.
    package func entry(_ id: AttributeID) -> Entry? { entries.first { $0.id == id } }

    /// The value of an attribute, copied out of the storage; nil when it is not there or its text is not UTF-8.
    package subscript(id: AttributeID) -> AttributeValue? { entry(id).flatMap(value) }

    /// The value of an entry, copied out of the storage.
    package func value(_ entry: Entry) -> AttributeValue? {
        storage.withSpan { span in
            switch entry.kind {
            case .string: String(validating: span.array(entry.offset, entry.length), as: UTF8.self).map { .string($0) }
            case .data: .data(span.array(entry.offset, entry.length))
            case .number: .number(span.littleEndian(Int64.self, at: entry.offset))
            case .date: .date(Double(bitPattern: span.littleEndian(UInt64.self, at: entry.offset)))
            }
        }
    }

    /// An entry's bytes, for what must not be copied into ordinary memory.
    package func secret(_ id: AttributeID) -> SecretBytes? {
        guard let entry = entry(id) else { return nil }
        return storage.withSpan { SecretBytes(copying: $0.extracting(entry.offset..<entry.offset + entry.length)) }
    }
}

extension SecretBuffer {
    /// Appends an attribute in encoded form.
    package func append(_ id: AttributeID, _ value: AttributeValue) {
        switch value {
        case .string(var text): text.withUTF8 { bytes in unsafe append(id, .string, bytes.span) }
        case .data(let bytes): append(id, .data, bytes.span)
        case .number(let number):
            appendHeader(id, .number, 8)
            append(littleEndian: number)
        case .date(let seconds):
            appendHeader(id, .date, 8)
            append(littleEndian: seconds.bitPattern)
        }
    }

    /// Appends an attribute whose bytes are at hand.
    package func append(_ id: AttributeID, _ kind: AttributeValue.Kind, _ bytes: Span<UInt8>) {
        appendHeader(id, kind, bytes.count)
        append(bytes)
    }

    /// Appends the header of an entry whose `length` bytes follow.
    package func appendHeader(_ id: AttributeID, _ kind: AttributeValue.Kind, _ length: Int) {
        append(littleEndian: id.rawValue)
        append(kind.rawValue)
        append(0)
        append(littleEndian: UInt32(truncatingIfNeeded: length))
    }
}
