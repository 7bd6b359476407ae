package import KeychainModel

/// A row to be written.
package struct NewRow: Sendable {
    package let itemClass: ItemClass
    package let uuid: [UInt8]
    package let primaryKey: [UInt8]
    package let accessibility: Accessibility
    package let isSynchronizable: Bool
    package let isTombstone: Bool
    /// The digests of its columns (``AttributeDigester/columns(of:_:)``).
    package let digests: [ColumnDigest?]
    /// The digests of the pairs that it is found by (``AttributeDigester/lookups(of:_:)``).
    package let lookups: [ColumnDigest]
    package let wrappedKey: [UInt8]
    package let metadata: [UInt8]
    package let value: [UInt8]

    package init(
        itemClass: ItemClass, uuid: [UInt8], primaryKey: [UInt8], accessibility: Accessibility, isSynchronizable: Bool,
        isTombstone: Bool, digests: [ColumnDigest?], lookups: [ColumnDigest] = [], wrappedKey: [UInt8],
        metadata: [UInt8], value: [UInt8]
    ) {
        self.itemClass = itemClass
        self.uuid = uuid
        self.primaryKey = primaryKey
        self.accessibility = accessibility
        self.isSynchronizable = isSynchronizable
        self.isTombstone = isTombstone
        self.digests = digests
        self.lookups = lookups
        self.wrappedKey = wrappedKey
        self.metadata = metadata
        self.value = value
    }
}
