/// The options of the command line.
struct Options {
    var isQuick = false
    var asJSON = false
    var only: Set<String> = []
    /// How many rounds every figure gets; nil for its own number.
    var rounds: Int?
    /// Where the stores are made; on the disk that durable writes are measured on.
    var folder = ".build/bench"
    /// Where the product's programs and the yardstick's lie.
    var programs = ".build/measured"

    static let usage = """
        usage: keychain-bench [--quick] [--json] [--only NAME]... [--rounds N] [--folder FOLDER] [--programs FOLDER]
          --quick     smaller stores and fewer rounds
          --json      one object per figure instead of the table
          --only      this figure alone; may come several times
          --rounds    so many rounds of every figure
          --folder    where stores are made, on the disk to measure
          --programs  where keychaind, keychain-enclaved, security, yardstick-daemon and yardstick-find lie
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--json": asJSON = true
            case "--only": only.insert(try Self.value(of: argument, &rest))
            case "--rounds": rounds = try Int(Self.value(of: argument, &rest))
            case "--folder": folder = try Self.value(of: argument, &rest)
            case "--programs": programs = try Self.value(of: argument, &rest)
            default: throw BenchError("\(argument) is no option.\n\(Self.usage)")
            }
        }
    }

    /// Whether a figure was asked for.
    func measures(_ figure: Figure) -> Bool { only.isEmpty || only.contains(figure.name) }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws -> String {
        guard let value = rest.popFirst() else { throw BenchError("\(option) needs a value.\n\(usage)") }
        return value
    }
}
