import EmbeddedKeychain
import Foundation
import KeychainPolicy

// Speed, every figure next to its floor on this machine, in one run.

func measure(_ options: Options) throws {
    if let unknown = options.only.subtracting(Figure.table.map(\.name)).min() {
        throw BenchError("\(unknown) is no figure. There are: \(Figure.table.map(\.name).joined(separator: ", ")).")
    }
    let bench = try Bench(options)
    let report = Report(asJSON: options.asJSON)
    report.begin()
    for figure in Figure.table where options.measures(figure) {
        note("measuring \(figure.title)")
        report.add(figure, try figure.measure(bench))
    }
}

do {
    // It starts itself as what has to be a process of its own.
    switch Array(CommandLine.arguments.dropFirst()) {
    case let arguments where arguments.count == 2 && arguments[0] == "--work": try work(on: arguments[1])
    case let arguments where arguments.count == 3 && arguments[0] == "--call":
        try call(Int(arguments[2]) ?? 0, on: arguments[1])
    case let arguments where arguments.count == 3 && arguments[0] == "--serve":
        try serve(arguments[1], at: arguments[2])
    case let arguments where arguments.count == 4 && arguments[0] == "--serve":
        try serve(arguments[1], at: arguments[2], enclaved: arguments[3])
    case let arguments where arguments.count == 4 && arguments[0] == "--serve-one":
        try serve(arguments[1], at: arguments[2], enclaved: arguments[3], to: try .thisProgram())
    case let arguments: try measure(Options(arguments))
    }
} catch {
    note("\(error)")
    exit(1)
}
