/// The difference between two texts as `diff -u` shows it, for changes that are in one place.
package struct TextDifference {
    private let before: [Substring]
    private let after: [Substring]
    private static let context = 3

    package init(_ before: String, _ after: String) {
        self.before = Self.lines(of: before)
        self.after = Self.lines(of: after)
    }

    /// Lines with a mark in front: a blank for what stays, minus for what goes, plus for what comes. Empty for no
    /// difference.
    package var lines: [String] {
        let prefix = zip(before, after).prefix { $0 == $1 }.count
        let most = min(before.count, after.count) - prefix
        let suffix = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.prefix(most).count
        guard prefix + suffix < max(before.count, after.count) else { return [] }
        let start = max(0, prefix - Self.context)
        let end = min(suffix, Self.context)
        let old = before[start..<(before.count - suffix + end)]
        let new = after[start..<(after.count - suffix + end)]
        return ["@@ -\(Self.range(old)) +\(Self.range(new)) @@"]
            + before[start..<prefix].map { " \($0)" }
            + before[prefix..<(before.count - suffix)].map { "-\($0)" }
            + after[prefix..<(after.count - suffix)].map { "+\($0)" }
            + before[(before.count - suffix)..<(before.count - suffix + end)].map { " \($0)" }
    }

    private static func range(_ lines: ArraySlice<Substring>) -> String {
        "\(lines.isEmpty ? lines.startIndex : lines.startIndex + 1),\(lines.count)"
    }

    private static func lines(of text: String) -> [Substring] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
