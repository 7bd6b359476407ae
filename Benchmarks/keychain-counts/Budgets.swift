import Foundation

/// Counts as a file has them, one on a line, so that a change of one is a change of one line.
struct Budgets {
    let text: String

    init(_ operations: [Operations.Counted]) {
        let objects = operations.map { one in
            let lines = one.fields.map { "    \"\($0.name)\": \(one.counts[keyPath: $0.path])" }
            return "  \"\(one.name)\": {\n\(lines.joined(separator: ",\n"))\n  }"
        }
        text = "{\n\(objects.joined(separator: ",\n"))\n}\n"
    }

    /// Holds what was counted against a file of budgets.
    ///
    /// - Returns: the lines to change in the file, those of counts that are above their budget and those of counts
    ///   below.
    static func differences(
        _ operations: [Operations.Counted], from path: String
    ) throws -> (above: [String], below: [String]) {
        let data = try Data(contentsOf: URL(filePath: path))
        guard let budgets = try JSONSerialization.jsonObject(with: data) as? [String: [String: Int]] else {
            throw CountsError("\(path) has no budgets.")
        }
        var (above, below): ([String], [String]) = ([], [])
        for one in operations {
            for (name, path) in one.fields {
                let (count, budget) = (one.counts[keyPath: path], budgets[one.name]?[name] ?? 0)
                let change = "@@ \(one.name)\n-    \"\(name)\": \(budget)\n+    \"\(name)\": \(count)"
                if count > budget { above.append(change) } else if count < budget { below.append(change) }
            }
        }
        return (above, below)
    }
}

/// The reason why the counts cannot be taken.
struct CountsError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
