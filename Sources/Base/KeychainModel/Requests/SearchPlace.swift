/// Where a search goes on whose turn ended before it had found anything.
///
/// Rows are read in the order of their numbers, which no row changes, and each turn reads the store as it is then: no
/// transaction is held from one to the next. A row that is there all the time is therefore looked at exactly once; one
/// that comes or goes in between may have been seen or not, as in an enumeration by pages.
package struct SearchPlace: Sendable, Equatable {
    /// The row that was looked at last, as the cursor of a request would name it.
    package let cursor: UInt64
    /// Why an item that may be the one meant did not open: the answer when no other is found.
    package let closed: Refusal?

    package init(after cursor: UInt64, closed: Refusal? = nil) { (self.cursor, self.closed) = (cursor, closed) }
}
