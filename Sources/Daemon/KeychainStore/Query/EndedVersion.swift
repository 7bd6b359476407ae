package import KeychainModel

/// A version that a transaction ends: the row as it stands in the table of its class, and what is said of its end.
package struct EndedVersion<Row: RowSource> {
    let row: Row
    let accessibility: Accessibility
    /// Microseconds since 2001.
    let ended: Int64
    let end: VersionEnd
    /// Whose change has come in its place; nil where a program of this keychain has ended it.
    let lost: LostVersion?

    package init(
        _ row: Row, _ accessibility: Accessibility, _ end: VersionEnd, at ended: Int64, lost: LostVersion? = nil
    ) {
        (self.row, self.accessibility, self.end, self.ended) = (row, accessibility, end, ended)
        self.lost = lost
    }
}
