package import KeychainModel

/// A version that a transaction ends: the row as it stands in the table of its class, and what is said of its end.
package struct EndedVersion {
    package let itemClass: ItemClass
    package let row: Int64
    package let accessibility: Accessibility
    package let isSynchronizable: Bool
    /// Microseconds since 2001.
    package let ended: Int64
    package let end: VersionEnd
    /// Where the parts of the row lie among the bytes that come with the version.
    package let uuid, primaryKey, group, metadata, value: Range<Int>

    package init(
        itemClass: ItemClass, row: Int64, accessibility: Accessibility, isSynchronizable: Bool, ended: Int64,
        end: VersionEnd, uuid: Range<Int>, primaryKey: Range<Int>, group: Range<Int>, metadata: Range<Int>,
        value: Range<Int>
    ) {
        (self.itemClass, self.row, self.accessibility) = (itemClass, row, accessibility)
        (self.isSynchronizable, self.ended, self.end) = (isSynchronizable, ended, end)
        (self.uuid, self.primaryKey, self.group) = (uuid, primaryKey, group)
        (self.metadata, self.value) = (metadata, value)
    }
}
