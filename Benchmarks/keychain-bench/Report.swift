import Foundation

/// Says on the standard error output what is going on.
func note(_ text: String) { FileHandle.standardError.write(Data("keychain-bench: \(text)\n".utf8)) }

/// The results, for people or for programs.
struct Report {
    let asJSON: Bool

    private static let columns = [44, 13, 46, 13, 7, 10, 6]

    func begin() {
        guard !asJSON else { return }
        print(row("figure", "ours", "against", "its", "ratio", "line", ""))
    }

    func add(_ figure: Figure, _ measured: Measurement) {
        asJSON ? printObject(figure, measured) : print(text(figure, measured))
    }

    private func text(_ figure: Figure, _ measured: Measurement) -> String {
        let (ours, floor) = (quantity(measured.ours, measured.unit), measured.floor.map { quantity($0, measured.unit) })
        return row(
            figure.title, ours, figure.against, floor ?? "–", measured.ratio.map { number($0, 2) } ?? "–",
            figure.line.text, figure.line.verdict(for: measured.judged))
    }

    private func printObject(_ figure: Figure, _ measured: Measurement) {
        var object: [String: Any] = [
            "name": figure.name, "unit": measured.unit.rawValue, "ours": measured.ours, "line": figure.line.text,
            "ok": figure.line.holds(for: measured.judged),
        ]
        object["floor"] = measured.floor
        object["ratio"] = measured.ratio
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys) else { return }
        print(String(decoding: data, as: UTF8.self))
    }

    /// Words to the left, quantities to the right.
    private func row(_ cells: String...) -> String {
        let padded = zip(cells, Self.columns).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return [0, 2, 6].contains(index) ? cell.0 + space : space + cell.0
        }
        return padded.joined(separator: "  ")
    }

    private func quantity(_ value: Double, _ unit: Measurement.Unit) -> String {
        "\(number(value, value < 100 ? 2 : 0)) \(unit.rawValue)"
    }

    private func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}

extension Figure.Line {
    fileprivate var text: String {
        switch self {
        case .atMost(let limit): String(format: "≤ %.4g", limit)
        case .atLeast(let limit): String(format: "≥ %.4g", limit)
        case .reported: "–"
        }
    }

    fileprivate func verdict(for value: Double) -> String {
        switch self {
        case .reported: ""
        case .atMost: holds(for: value) ? "ok" : "above"
        case .atLeast: holds(for: value) ? "ok" : "below"
        }
    }
}
