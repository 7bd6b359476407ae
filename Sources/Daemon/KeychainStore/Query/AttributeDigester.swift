package import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// The content of a column in place of a value.
package typealias ColumnDigest = KeyedDigest.Short

/// Makes the keyed digests that stand in the columns instead of names and values. Belongs to one thread.
///
///     digest      = HMAC-SHA256(index key, number:u16 comparison)[0 ..< 16];
///     salted      = HMAC-SHA256(index key, "sd" class:u8 number:u16 digest-of-the-group:16 digest:16)[0 ..< 16];
///     primary key = HMAC-SHA256(index key, "pk" class:u8 *(number:u16 length:u32 comparison))[0 ..< 16]
///
/// Two values that a search must not tell apart have the same comparison bytes (rule queries.match.bytes): text and
/// data are compared by their bytes, a number in a text-like attribute by four bytes, a number or date elsewhere by a
/// mark and eight.
package final class AttributeDigester {
    /// The size of a digest in a column.
    package static let size = 16
    private let mac: KeyedDigest
    private let message = SecretBuffer(capacity: 512)
    private var defaults: [AttributeID: ColumnDigest] = [:]
    /// The access groups asked for last; a daemon's callers are few, and each asks with the same groups again.
    ///
    /// A thread that finds one is done with it before another thread looks, which the run time need not check.
    @exclusivity(unchecked) private var groups: [(name: String, digest: ColumnDigest)] = []
    private static let knownGroups = 8
    /// The same of the programs that wrote last.
    private var owners: [(name: String, digest: ColumnDigest)] = []

    package init(_ indexKey: SecretBytes) throws(Refusal) {
        do throws(CryptoError) {
            mac = try indexKey.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key) }
        } catch { throw .cryptography(error) }
    }

    /// The digest of an attribute's value, which is the same in all groups.
    func digest(
        _ attribute: ItemAttribute, _ kind: AttributeValue.Kind, _ bytes: Span<UInt8>
    ) throws(Refusal) -> ColumnDigest {
        message.removeAll()
        message.append(littleEndian: attribute.digestDomain.rawValue)
        attribute.appendComparison(kind, bytes, to: message)
        return try finish()
    }

    /// The content of a salted column in place of a digest (``ItemAttribute/isSalted``).
    ///
    /// - Parameter group: the digest of the item's group.
    func salted(
        _ digest: Span<UInt8>, _ attribute: ItemAttribute, of itemClass: ItemClass, in group: Span<UInt8>
    ) throws(Refusal) -> ColumnDigest {
        message.removeAll()
        message.append(UInt8(ascii: "s"))
        message.append(UInt8(ascii: "d"))
        message.append(itemClass.rawValue)
        message.append(littleEndian: attribute.id.rawValue)
        message.append(group)
        message.append(digest)
        return try finish()
    }

    /// The digests of an item's columns, in the order of ``Schema/digestColumns(of:)``; nil where it has no attribute.
    package func columns(of itemClass: ItemClass, _ list: AttributeList) throws(Refusal) -> [ColumnDigest?] {
        let columns = Schema.digestColumns(of: itemClass)
        let group = try group(list[.accessGroup]?.string ?? "")
        var digests: [ColumnDigest?] = []
        digests.reserveCapacity(columns.count)
        for attribute in columns {
            let digest = attribute.id == .accessGroup ? group : try column(attribute, list)
            digests.append(
                try digest.map { (digest) throws(Refusal) in
                    attribute.isSalted ? try salted(digest.span, attribute, of: itemClass, in: group.span) : digest
                })
        }
        return digests
    }

    /// The digest of an access group.
    package func group(_ name: String) throws(Refusal) -> ColumnDigest {
        for known in unsafe groups where known.name.hasBytes(of: name) { return known.digest }
        guard let attribute = AttributeTable.attribute(id: .accessGroup) else { return ColumnDigest(repeating: 0) }
        let digest = try self.digest(attribute, .string, name.utf8.span)
        if unsafe groups.count >= Self.knownGroups { unsafe groups.removeFirst() }
        unsafe groups.append((name, digest))
        return digest
    }

    /// The digest of an item's attribute, not salted; nil when it has none.
    private func column(_ attribute: ItemAttribute, _ list: AttributeList) throws(Refusal) -> ColumnDigest? {
        guard let entry = list.entry(attribute.id) else { return try defaultColumn(attribute) }
        return try list.storage.withSpan { (span) throws(Refusal) in
            let bytes = span.extracting(entry.offset..<entry.offset + entry.length)
            // Most attributes of most items are empty.
            if bytes.isEmpty, attribute.missing == .emptyString { return try defaultColumn(attribute) }
            return try digest(attribute, entry.kind, bytes)
        }
    }

    /// The digest of the program that rows belong to.
    ///
    ///     owner = HMAC-SHA256(index key, "ow" program)[0 ..< 16]
    package func owner(_ program: String) throws(Refusal) -> ColumnDigest {
        for known in owners where known.name.hasBytes(of: program) { return known.digest }
        message.removeAll()
        message.append(UInt8(ascii: "o"))
        message.append(UInt8(ascii: "w"))
        message.append(program.utf8.span)
        let digest = try finish()
        if owners.count >= Self.knownGroups { owners.removeFirst() }
        owners.append((program, digest))
        return digest
    }

    /// The digest of a name and a value that an item of a group is found by.
    ///
    ///     pair = HMAC-SHA256(index key, "lp" digest-of-the-group:16 length:u32 name length:u32 value)[0 ..< 16]
    func lookup(_ name: ExactText, _ value: ExactText, in group: Span<UInt8>) throws(Refusal) -> ColumnDigest {
        message.removeAll()
        message.append(UInt8(ascii: "l"))
        message.append(UInt8(ascii: "p"))
        message.append(group)
        for text in [name, value] {
            message.append(littleEndian: UInt32(clamping: text.size))
            message.append(text.text.utf8.span)
        }
        return try finish()
    }

    /// The digests of an item's pairs.
    package func lookups(of itemClass: ItemClass, _ list: AttributeList) throws(Refusal) -> [ColumnDigest] {
        guard itemClass == LookupTable.itemClass, let found = LookupAttributes(in: list) else { return [] }
        return try lookups(found.all, in: try group(list[.accessGroup]?.string ?? "").span)
    }

    /// The digests of pairs in a group.
    func lookups(_ pairs: LookupAttributes.Pairs, in group: Span<UInt8>) throws(Refusal) -> [ColumnDigest] {
        var digests: [ColumnDigest] = []
        for (name, value) in pairs { digests.append(try lookup(name, value, in: group)) }
        return digests
    }

    /// The values that most items have in most columns, digested once.
    private func defaultColumn(_ attribute: ItemAttribute) throws(Refusal) -> ColumnDigest? {
        guard let value = attribute.defaultValue else { return nil }
        if let known = defaults[attribute.id] { return known }
        let digest = try self.digest(attribute, value.kind, value.bytes.span)
        defaults[attribute.id] = digest
        return digest
    }

    /// The digest of the attributes that make an item of the class unique; one that is missing counts as its default.
    package func primaryKey(of itemClass: ItemClass, _ list: AttributeList) throws(Refusal) -> [UInt8] {
        message.removeAll()
        message.append(UInt8(ascii: "p"))
        message.append(UInt8(ascii: "k"))
        Self.append(primaryKeyOf: itemClass, list, to: message)
        let short = try finish()
        return short.span.array(0, Self.size)
    }

    /// Appends what the digest of a primary key is made of.
    package static func append(
        primaryKeyOf itemClass: ItemClass, _ list: AttributeList, to message: SecretBuffer
    ) {
        message.append(itemClass.rawValue)
        for attribute in AttributeTable.primaryKey(of: itemClass) { append(part: attribute, list, to: message) }
    }

    private static func append(part attribute: ItemAttribute, _ list: AttributeList, to message: SecretBuffer) {
        message.append(littleEndian: attribute.id.rawValue)
        let lengthOffset = message.count
        message.append(littleEndian: UInt32(0))
        if let entry = list.entry(attribute.id) {
            list.storage.withSpan { span in
                let bytes = span.extracting(entry.offset..<entry.offset + entry.length)
                attribute.appendComparison(entry.kind, bytes, to: message)
            }
        } else if let value = attribute.defaultValue {
            attribute.appendComparison(value.kind, value.bytes.span, to: message)
        }
        message.overwrite(littleEndian: UInt32(message.count - lengthOffset - 4), at: lengthOffset)
    }

    // MARK: - Codes of rows

    func beginCode(of itemClass: ItemClass) {
        message.removeAll()
        message.append(UInt8(ascii: "r"))
        message.append(UInt8(ascii: "c"))
        message.append(itemClass.rawValue)
    }

    func beginCodeOfVersion() {
        message.removeAll()
        message.append(UInt8(ascii: "h"))
        message.append(UInt8(ascii: "c"))
    }

    func appendCode(_ name: [UInt8], _ number: Int64) {
        appendHead(name, kind: 1, count: 8)
        message.append(littleEndian: number)
    }

    func appendCode(_ name: [UInt8], _ bytes: Span<UInt8>) {
        appendHead(name, kind: 2, count: bytes.count)
        message.append(bytes)
    }

    func appendForeignCode(_ name: [UInt8]) { appendHead(name, kind: 3, count: 0) }

    private func appendHead(_ name: [UInt8], kind: UInt8, count: Int) {
        message.append(UInt8(truncatingIfNeeded: name.count))
        message.append(name.span)
        message.append(kind)
        message.append(littleEndian: UInt32(clamping: count))
    }

    func finishCode() throws(Refusal) -> ColumnDigest {
        defer { message.removeAll() }
        return try finish()
    }

    private func finish() throws(Refusal) -> KeyedDigest.Short {
        do throws(CryptoError) {
            try message.withSpan { (span) throws(CryptoError) in try mac.update(span) }
            return try mac.finishShort()
        } catch { throw .cryptography(error) }
    }
}

extension ItemAttribute {
    /// Whether its column has another digest for one value in every class and group.
    ///
    /// The group's own is what the others are salted with. The last three are those by which a certificate finds its
    /// key, which may be in another group.
    var isSalted: Bool {
        search == .compared && ![.accessGroup, .publicKeyHash, .applicationLabel, .keyClass].contains(id)
    }

    /// A certificate's key hash and its key's label are compared with each other, so their digests are of one kind.
    fileprivate var digestDomain: AttributeID { id == .publicKeyHash ? .applicationLabel : id }

    fileprivate func appendComparison(_ valueKind: AttributeValue.Kind, _ bytes: Span<UInt8>, to buffer: SecretBuffer) {
        switch (kind, valueKind) {
        case (.blob, .number): buffer.append(bytes.extracting(0..<4))
        case (_, .number), (_, .date):
            buffer.append(valueKind.rawValue)
            buffer.append(bytes)
        default: buffer.append(bytes)
        }
    }
}

extension Refusal {
    /// The caller's message when the library refuses: it says nothing about keys or data.
    package static func cryptography(_ error: CryptoError) -> Refusal {
        Refusal(
            .internalError, .internalError, "crypto", "A cryptographic operation failed (\(error)).",
            do: "Check that OpenSSL offers AES-256-GCM and HMAC-SHA256; the store was not changed.")
    }
}
