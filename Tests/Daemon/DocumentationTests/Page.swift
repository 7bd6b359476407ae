import Glibc
import LinuxSystem

/// A page of documentation with tables that are made of the product's own.
///
/// A table stands between the lines `<!-- table: NAME -->` and `<!-- end -->`; everything around it is written by hand.
struct Page {
    let name: String
    private var text: String
    private let path: String

    struct NoTable: Error { let name: String }

    init(_ name: String) throws {
        self.name = name
        path = Self.root + "docs/" + name
        text = String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
    }

    /// The table of this name as it stands in the page.
    func table(_ name: String) throws -> String { String(text[try range(of: name)]) }

    /// Puts a table into the page.
    mutating func replace(_ name: String, with table: String) throws {
        text.replaceSubrange(try range(of: name), with: table)
        try AtomicFile.replace(path, with: Array(text.utf8).span, mode: 0o644)
    }

    private func range(of name: String) throws -> Range<String.Index> {
        guard let start = text.firstRange(of: "<!-- table: \(name) -->\n")?.upperBound,
            let end = text[start...].firstRange(of: "<!-- end -->")?.lowerBound
        else { throw NoTable(name: name) }
        return start..<end
    }

    static var root: String {
        let folders = #filePath.split(separator: "/").dropLast(4)
        return "/" + folders.joined(separator: "/") + "/"
    }
}

/// Whether pages are to be brought up to date rather than held against the product.
var updatesPages: Bool { unsafe getenv("UPDATE_DOCS") != nil }

/// A table in Markdown.
func markdown(_ head: [String], _ rows: [[String]]) -> String {
    let lines = [head, head.map { _ in "---" }] + rows
    return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
}
