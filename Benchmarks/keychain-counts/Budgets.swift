import Foundation

/// Counts as a file has them, one on a line, so that a change of one is a change of one line.
struct Budgets {
    let text: String

    init(_ operations: [(name: String, counts: Counts)]) {
        let objects = operations.map { name, counts in
            let lines = Counts.fields.map { "    \"\($0.name)\": \(counts[keyPath: $0.path])" }
            return "  \"\(name)\": {\n\(lines.joined(separator: ",\n"))\n  }"
        }
        text = "{\n\(objects.joined(separator: ",\n"))\n}\n"
    }

    /// Holds what was counted against a file of budgets.
    ///
    /// - Returns: the lines to change in the file, those of counts that are above their budget and those of counts
    ///   below.
    static func differences(
        _ operations: [(name: String, counts: Counts)], from path: String
    ) throws -> (above: [String], below: [String]) {
        let data = try Data(contentsOf: URL(filePath: path))
        guard let budgets = try JSONSerialization.jsonObject(with: data) as? [String: [String: Int]] else {
            throw CountsError("\(path) has no budgets.")
        }
        var (above, below): ([String], [String]) = ([], [])
        for (operation, counts) in operations {
            for (name, path) in Counts.fields {
                let (count, budget) = (counts[keyPath: path], budgets[operation]?[name] ?? 0)
                let change = "@@ \(operation)\n-    \"\(name)\": \(budget)\n+    \"\(name)\": \(count)"
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
