import KeychainModel

/// One turn of a search that may take longer than others wait.
struct SearchTurn {
    /// Where the turn before ended; nil for the first.
    let place: SearchPlace?
    /// Whether it is to end, asked whenever some rows have been read.
    let isDue: () -> Bool
    /// Where the next one goes on; nil unless this one ended before it had found anything.
    var next: SearchPlace?

    init(_ place: SearchPlace?, _ isDue: @escaping () -> Bool) { (self.place, self.isDue) = (place, isDue) }
}
