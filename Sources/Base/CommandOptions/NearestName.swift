/// The name that somebody meant who mistyped it.
package enum NearestName {
    /// The name that is one or two mistakes away; nil when none is.
    package static func find(_ name: String, among names: [String]) -> String? {
        let word = Array(name.prefix(64).utf8)
        let distances = names.map { (name: $0, distance: distance(word, Array($0.utf8))) }
        guard let best = distances.min(by: { $0.distance < $1.distance }), best.distance <= 2,
            best.distance < best.name.utf8.count / 2
        else { return nil }
        return best.name
    }

    /// How many letters have to be added, left out, changed or swapped with their neighbour.
    private static func distance(_ from: [UInt8], _ to: [UInt8]) -> Int {
        var (before, last) = ([Int](), Array(0...to.count))
        for (row, letter) in from.enumerated() {
            var next = [row + 1]
            for (column, other) in to.enumerated() {
                var steps = min(last[column + 1] + 1, next[column] + 1, last[column] + (letter == other ? 0 : 1))
                if row > 0, column > 0, letter == to[column - 1], from[row - 1] == other {
                    steps = min(steps, before[column - 1] + 1)
                }
                next.append(steps)
            }
            (before, last) = (last, next)
        }
        return last[to.count]
    }
}
