/// One row of the table: what is measured, against what, and where the line is.
struct Figure {
    /// What `--only` calls it.
    let name: String
    let title: String
    /// What stands beside it.
    let against: String
    let line: Line
    let measure: (Bench) throws -> Measurement

    init(
        _ name: String, _ title: String, _ against: String, _ line: Line,
        _ measure: @escaping (Bench) throws -> Measurement
    ) {
        (self.name, self.title, self.against, self.line, self.measure) = (name, title, against, line, measure)
    }

    /// What is asked of the ratio, or of the figure itself where nothing stands beside it.
    enum Line {
        case atMost(Double)
        case atLeast(Double)
        /// There is no line: the figure is told.
        case reported

        func holds(for value: Double) -> Bool {
            switch self {
            case .atMost(let limit): value <= limit
            case .atLeast(let limit): value >= limit
            case .reported: true
            }
        }
    }
}

/// What came of a figure.
struct Measurement {
    enum Unit: String {
        case microseconds = "µs"
        case milliseconds = "ms"
        case perSecond = "/s"
        case megabytes = "MB"

        /// What a figure of nanoseconds, of operations per second, or of bytes is in this unit.
        func convert(_ value: Double) -> Double {
            switch self {
            case .microseconds: value / 1e3
            case .milliseconds, .megabytes: value / 1e6
            case .perSecond: value
            }
        }
    }

    let unit: Unit
    let ours: Double
    let floor: Double?
    let ratio: Double?

    init(_ comparison: Comparison, in unit: Unit) {
        self.unit = unit
        (ours, floor) = (unit.convert(comparison.ours), unit.convert(comparison.floor))
        ratio = comparison.ratio
    }

    init(_ value: Double, in unit: Unit) {
        self.unit = unit
        (ours, floor, ratio) = (unit.convert(value), nil, nil)
    }

    /// What the line is held against.
    var judged: Double { ratio ?? ours }
}
