/// One row of the table: what is measured, against what, and where the line is.
struct Figure {
    /// The name that `--only` takes.
    let name: String
    let title: String
    /// The floor that the figure is compared with.
    let against: String
    let line: Line
    let measure: (Bench) throws -> Measurement

    init(
        _ name: String, _ title: String, _ against: String, _ line: Line,
        _ measure: @escaping (Bench) throws -> Measurement
    ) {
        (self.name, self.title, self.against, self.line, self.measure) = (name, title, against, line, measure)
    }

    /// The line for the ratio, or for the figure itself where there is no floor.
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

/// The result of a figure.
struct Measurement {
    enum Unit: String {
        case microseconds = "µs"
        case milliseconds = "ms"
        case perSecond = "/s"
        case megabytes = "MB"

        /// Converts nanoseconds, operations per second, or bytes into this unit.
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

    /// The value that the line is compared with.
    var judged: Double { ratio ?? ours }
}
