/// The place where a search continues after a turn without a result.
///
/// Rows are read in the order of their numbers, which never change. Each turn reads the current store in a transaction
/// of its own. A row that exists all the time is therefore read exactly once. A row that is added or deleted meanwhile
/// may be read or not, as in an enumeration by pages.
package struct SearchPlace: Sendable, Equatable {
    /// The last row that was read, in the form of a request's cursor.
    package let cursor: UInt64
    /// Why a possible result did not open: the answer when no other item is found.
    package let closed: Refusal?

    package init(after cursor: UInt64, closed: Refusal? = nil) { (self.cursor, self.closed) = (cursor, closed) }
}
