package import LinuxSystem

/// A list of attributes in the only encoding for frames, sealed rows and results.
///
///     list  = *entry
///     entry = id:u16  kind:u8  zero:u8  length:u32  bytes        ; all integers little-endian
///
/// Parsing checks the structure. A lookup scans the list, which costs less than an index of it, and creates values only
/// on request. Most lookups are for missing attributes; `present` answers those without a scan.
@usableFromInline package struct AttributeList: Sendable {
    /// The place of an entry's bytes in the storage.
    @usableFromInline package struct Entry: Sendable {
        package let id: AttributeID
        package let kind: AttributeValue.Kind
        package let offset: Int
        package let length: Int

        fileprivate var end: Int { offset + length }
    }

    /// The encoding is malformed: an entry exceeds the end, a kind is unknown, or a number does not have eight bytes.
    package struct Malformed: Error {
        package init() {}
    }

    /// No class has so many attributes; a longer list is an attack.
    package static let maximumEntries = 128
    package static let headerSize = 8

    package let storage: SecretBytes
    /// The attributes in the list.
    @usableFromInline package let present: AttributeSet
    private let range: Range<Int>

    package static let empty = AttributeList(storage: SecretBytes(count: 0))

    private init(storage: SecretBytes) {
        self.storage = storage
        (range, present) = (0..<0, 0)
    }

    /// Parses the whole of `range` of `storage`.
    ///
    /// - Throws: ``Malformed`` when the bytes are not exactly a list.
    package init(parsing storage: SecretBytes, in range: Range<Int>) throws(Malformed) {
        present = try storage.withSpan { span throws(Malformed) in try Self.check(span, range) }
        self.range = range
        self.storage = storage
    }

    /// Parses all of `storage`.
    package init(parsing storage: SecretBytes) throws(Malformed) {
        try self.init(parsing: storage, in: 0..<storage.count)
    }

    private static func check(_ span: Span<UInt8>, _ range: Range<Int>) throws(Malformed) -> AttributeSet {
        guard range.upperBound <= span.count else { throw Malformed() }
        var (present, count, offset): (AttributeSet, Int, Int) = (0, 0, range.lowerBound)
        while offset < range.upperBound {
            guard count < maximumEntries, let entry = Entry(in: span, at: offset, before: range.upperBound) else {
                throw Malformed()
            }
            present |= entry.id.bit
            (count, offset) = (count + 1, entry.end)
        }
        return present
    }

    /// How many bytes the encoded list has.
    package var encodedCount: Int { range.count }

    /// Lends the encoded list.
    package func withEncoded<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withSpan { (span) throws(Failure) in try body(span.extracting(range)) }
    }

    /// All entries in their order, for callers that need them at once.
    package var entries: [Entry] { Array(self) }

    /// The entry for an attribute, if there is one; the first one when a peer sent several.
    @inlinable
    package func entry(_ id: AttributeID) -> Entry? { present & id.bit == 0 ? nil : find(id) }

    /// The entry for an attribute in an encoded list that starts at `start` and extends to the end of the span.
    package static func entry(_ id: AttributeID, in span: Span<UInt8>, from start: Int) -> Entry? {
        var offset = start
        while let entry = Entry(in: span, at: offset, before: span.count) {
            if entry.id == id { return entry }
            offset = entry.end
        }
        return nil
    }

    @usableFromInline
    func find(_ id: AttributeID) -> Entry? {
        storage.withSpan { span in
            var offset = range.lowerBound
            while let entry = Entry(in: span, at: offset, before: range.upperBound) {
                if entry.id == id { return entry }
                offset = entry.end
            }
            return nil
        }
    }

    /// Visits the entries in their order, which costs less than a loop over the list.
    package func visit<Failure: Error>(_ body: (Entry) throws(Failure) -> Void) throws(Failure) {
        try storage.withSpan { (span) throws(Failure) in
            var offset = range.lowerBound
            while let entry = Entry(in: span, at: offset, before: range.upperBound) {
                try body(entry)
                offset = entry.end
            }
        }
    }

    /// Appends the list in its encoded form.
    package func append(to buffer: SecretBuffer) { storage.withSpan { buffer.append($0.extracting(range)) } }

    /// The value of an attribute, copied from the storage; nil when it is missing or its text is not UTF-8.
    @inlinable
    package subscript(id: AttributeID) -> AttributeValue? {
        guard let entry = entry(id) else { return nil }
        return value(entry)
    }

    /// The value of an entry, copied from the storage.
    @usableFromInline
    package func value(_ entry: Entry) -> AttributeValue? {
        storage.withSpan { span in
            switch entry.kind {
            case .string: span.text(entry.offset, entry.length).map { .string($0) }
            case .data: .data(span.array(entry.offset, entry.length))
            case .number: .number(span.littleEndian(Int64.self, at: entry.offset))
            case .date: .date(Double(bitPattern: span.littleEndian(UInt64.self, at: entry.offset)))
            }
        }
    }

    /// An entry's bytes as a secret, for data that must not be copied into ordinary memory.
    package func secret(_ id: AttributeID) -> SecretBytes? {
        guard let entry = entry(id) else { return nil }
        return storage.withSpan { SecretBytes(copying: $0.extracting(entry.offset..<entry.offset + entry.length)) }
    }
}

/// A list is a sequence of its entries.
extension AttributeList: Sequence {
    @usableFromInline package struct Iterator: IteratorProtocol {
        private let storage: SecretBytes
        private var rest: Range<Int>

        fileprivate init(_ storage: SecretBytes, _ range: Range<Int>) { (self.storage, rest) = (storage, range) }

        @usableFromInline package mutating func next() -> Entry? {
            guard !rest.isEmpty else { return nil }
            let found = storage.withSpan { Entry(in: $0, at: rest.lowerBound, before: rest.upperBound) }
            if let found { rest = found.end..<rest.upperBound }
            return found
        }
    }

    @usableFromInline package func makeIterator() -> Iterator { Iterator(storage, range) }
}

extension AttributeList.Entry {
    /// The entry at `offset`; nil when it is malformed.
    fileprivate init?(in span: Span<UInt8>, at offset: Int, before end: Int) {
        guard offset + AttributeList.headerSize <= end, let kind = AttributeValue.Kind(rawValue: span[offset + 2])
        else {
            return nil
        }
        let length = Int(span.littleEndian(UInt32.self, at: offset + 4))
        guard span[offset + 3] == 0, length <= end - offset - AttributeList.headerSize else { return nil }
        if kind == .number || kind == .date, length != 8 { return nil }
        self.init(
            id: AttributeID(rawValue: span.littleEndian(UInt16.self, at: offset)), kind: kind,
            offset: offset + AttributeList.headerSize, length: length)
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

    /// Appends an attribute from its bytes.
    package func append(_ id: AttributeID, _ kind: AttributeValue.Kind, _ bytes: Span<UInt8>) {
        appendHeader(id, kind, bytes.count)
        append(bytes)
    }

    /// Appends the header of an entry whose `length` bytes follow.
    package func appendHeader(_ id: AttributeID, _ kind: AttributeValue.Kind, _ length: Int) {
        let size = UInt64(UInt32(truncatingIfNeeded: length))
        append(littleEndian: UInt64(id.rawValue) | UInt64(kind.rawValue) << 16 | size << 32)
    }
}
