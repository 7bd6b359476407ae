import LinuxSystem
import Testing

/// Statements of the pages on symbols and statuses, held against the declarations and the table of statuses.
@Suite("What the pages name is there, and what they call absent is not")
struct NamedTests {
    private static let pages = ["reference.md", "guides/migration.md", "coverage.md"]
    /// Words that deny.
    private static var denial: Regex<(Substring, Substring)> { #/\b(absent|not there|not here|not declared)\b/# }
    private static var name: Regex<(Substring, Substring, Substring?)> {
        #/\b((?:k?Sec|k?LA|k?CMS|k?SSL)[A-Z]\w*|errS(?:ec|SL)[A-Z]\w*|(?:tls|audit)_\w+)(…|\.h| \(not declared\))?/#
    }
    private static var number: Regex<(Substring, Substring?, Substring)> {
        #/(?:`?(errS\w+)`? \(|(?:^|[ (|]))[\-−](\d{1,5})\b/#
    }

    /// Rows of tables and sentences, each on one line; what the tests make of the sources themselves is left out of
    /// the coverage.
    static func statements(of text: String) -> [String] {
        var (statements, isGenerated) = ([""], false)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("<!-- table: counts") || line.hasPrefix("<!-- table: exceptions") { isGenerated = true }
            if line.hasPrefix("<!-- end") { isGenerated = false }
            guard !isGenerated else { continue }
            if line.hasPrefix("|") || line.hasPrefix("* ") || line.isEmpty { statements.append("") }
            statements[statements.count - 1] += " " + line
        }
        return statements.flatMap { statement in
            statement.hasPrefix(" |") ? [statement] : statement.split(separator: #/[.;] /#).map(String.init)
        }
    }

    /// Names that are not as a statement says, and numbers that are not as the table says.
    static func faults(in statement: String) -> [String] { wrongNames(in: statement) + wrongNumbers(in: statement) }

    private static func wrongNames(in statement: String) -> [String] {
        let denied = deniedPart(of: statement)
        return statement.matches(of: name).compactMap { match in
            let (symbol, behind) = (String(match.1), match.2.map(String.init))
            // The beginning of names, and names of files.
            if behind == "…" || behind == ".h" { return nil }
            let isDenied = behind != nil || denied.contains(symbol)
            return CoverageTables.isDeclared(symbol) == isDenied ? symbol : nil
        }
    }

    /// The names that a statement denies: a sentence all of its names, a row those of its first cell where a cell
    /// begins with the denial.
    private static func deniedPart(of statement: String) -> Substring {
        guard statement.hasPrefix(" |") else { return statement.contains(denial) ? statement[...] : "" }
        let cells = statement.split(separator: "|").dropFirst()
        let isDenied = cells.dropFirst().contains { $0.drop { $0 == " " }.prefixMatch(of: denial) != nil }
        return isDenied ? cells.first ?? "" : ""
    }

    private static func wrongNumbers(in statement: String) -> [String] {
        statement.matches(of: number).compactMap { match in
            let status = "-\(match.2)"
            guard let named = match.1.map(String.init) else { return numbers.values.contains(status) ? nil : status }
            return numbers[named] == status ? nil : "\(named) (\(status))"
        }
    }

    /// The statuses of the table, by their names.
    private static let numbers: [String: String] = {
        let text = (try? AtomicFile.read(Page.root + "Tables/statuses.tsv", limit: 1 << 20)) ?? []
        let rows = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
        return Dictionary(rows.filter { $0.count == 5 }.map { ($0[2], $0[3]) }, uniquingKeysWith: { first, _ in first })
    }()

    @Test(
        "Every symbol that a page names is declared, and those that it denies are not; every status has its number",
        arguments: pages)
    func named(page: String) throws {
        let text = String(decoding: try AtomicFile.read(Page.root + "docs/" + page, limit: 1 << 20), as: UTF8.self)
        let statements = Self.statements(of: text)
        #expect(statements.count { $0.contains(Self.name) || $0.contains(Self.number) } > 2)
        for statement in statements {
            let faults = Self.faults(in: statement)
            #expect(faults.isEmpty, "\(faults): \(statement.prefix(160))")
        }
    }

    @Test("A statement that is wrong is found")
    func finds() {
        #expect(Self.faults(in: "`kSecNothingOfTheKind` and `kSecClass`") == ["kSecNothingOfTheKind"])
        #expect(Self.faults(in: "`kSecClass` is absent") == ["kSecClass"])
        #expect(Self.faults(in: " | `LAEnvironment`, `LAView` | not there | a state |") == ["LAEnvironment"])
        #expect(Self.faults(in: "kSecUseTombstones (not declared), kSecClass (not declared)") == ["kSecClass"])
        #expect(
            Self.faults(in: "`errSecParam` (-51), -99999, `errSecNoSuchAttr` (-25303), SecBase.h, kSecAttr…").count == 2
        )
    }
}
