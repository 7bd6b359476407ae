/// Where in a text the units of a reading were written. Readings that began alike share what they have in common.
///
/// A cell is a unit, with the cell of the unit before it. Its jump leads further back, so that a cell far behind is
/// found in few steps (Myers 1983).
struct ReadingTrail {
    typealias Cell = Int32

    /// The cell before the first unit of every reading.
    static let start: Cell = 0

    private var places = [0]
    private var parents: [Cell] = [0]
    private var jumps: [Cell] = [0]
    private var levels: [Int32] = [0]

    var count: Int { places.count }

    /// Adds a unit that is written at a place of the text.
    mutating func append(to parent: Cell, at place: Int) -> Cell {
        let jump = jumps[Int(parent)]
        let isEven = level(parent) - level(jump) == level(jump) - level(jumps[Int(jump)])
        places.append(place)
        parents.append(parent)
        jumps.append(isEven ? jumps[Int(jump)] : parent)
        levels.append(level(parent) + 1)
        return Cell(places.count - 1)
    }

    /// The place of a unit, so many units before the last one.
    func place(_ cell: Cell, back units: Int) -> Int {
        let wanted = level(cell) - Int32(units)
        var cell = cell
        while level(cell) > wanted {
            let jump = jumps[Int(cell)]
            cell = level(jump) >= wanted ? jump : parents[Int(cell)]
        }
        return places[Int(cell)]
    }

    /// Forgets the units that no reading needs.
    ///
    /// - Parameter readings: the last cell of each, and how many of its units it needs.
    /// - Returns: the new cells, in the same order.
    mutating func shorten(_ readings: [(last: Cell, units: Int)]) -> [Cell] {
        var (kept, moved) = (ReadingTrail(), [Cell: Cell]())
        // The one that goes back furthest first: what another shares with it is whole then.
        let order = readings.indices.sorted { oldest(readings[$0]) < oldest(readings[$1]) }
        for index in order {
            var (cells, cell) = ([Cell](), readings[index].last)
            while cells.count < readings[index].units, moved[cell] == nil {
                cells.append(cell)
                cell = parents[Int(cell)]
            }
            var end = moved[cell] ?? Self.start
            for cell in cells.reversed() {
                end = kept.append(to: end, at: places[Int(cell)])
                moved[cell] = end
            }
        }
        self = kept
        return readings.map { $0.units == 0 ? Self.start : moved[$0.last] ?? Self.start }
    }

    private func level(_ cell: Cell) -> Int32 { levels[Int(cell)] }
    private func oldest(_ reading: (last: Cell, units: Int)) -> Int32 { level(reading.last) - Int32(reading.units) }
}
