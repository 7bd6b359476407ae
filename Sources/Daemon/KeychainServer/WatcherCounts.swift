import KeychainModel

/// How many watch: in all, of the programs that share a turn, and of each program. Those that are looked at count, too:
/// they may wait on.
struct WatcherCounts {
    private let capacity, ofTurn, ofProgram: Int
    private var all = 0
    private var turns: [ArraySlice<String>: Int] = [:]
    private var programs: [Standing: Int] = [:]

    /// - Parameters:
    ///   - capacity: how many there may be.
    ///   - ofTurn: how many of all programs that share a turn.
    ///   - ofProgram: how many of one program.
    init(capacity: Int, ofTurn: Int = .max, ofProgram: Int) {
        (self.capacity, self.ofTurn, self.ofProgram) = (capacity, ofTurn, ofProgram)
    }

    /// Counts one more.
    ///
    /// - Throws: `errSecNotAvailable` when there is no room, or its program has too many.
    mutating func enter(_ standing: Standing) throws(Refusal) {
        guard all < capacity else { throw .busy }
        guard programs[standing, default: 0] < ofProgram else { throw .beyondShare("watches") }
        guard !standing.sharesTurn || turns[standing.turn, default: 0] < ofTurn else { throw .busy }
        add(1, to: standing)
    }

    /// Counts one less, which was answered.
    mutating func leave(_ standing: Standing) { add(-1, to: standing) }

    /// A program that has none is forgotten: names are not kept for ever.
    private mutating func add(_ number: Int, to standing: Standing) {
        all += number
        let (ofThis, ofThese) = (programs[standing, default: 0], turns[standing.turn, default: 0])
        programs[standing] = ofThis + number > 0 ? ofThis + number : nil
        turns[standing.turn] = ofThese + number > 0 ? ofThese + number : nil
    }
}
