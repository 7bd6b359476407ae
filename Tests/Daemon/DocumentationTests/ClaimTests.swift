import Foundation
import LinuxSystem
import Testing

/// Each test tries what a page says that nobody can do.
@Suite("Claims of security name the case that tries")
struct ClaimTests {
    private static let pages = ["SECURITY.md", "docs/security/threats.md"]

    private static func text(_ path: String) throws -> String {
        String(decoding: try AtomicFile.read(Page.root + path, limit: 1 << 20), as: UTF8.self)
    }

    /// The attacks of the page's table, with the checks of each: a case of the suite, or tests by their paths. The
    /// suite itself holds the table against what it runs.
    private static func attacks() throws -> [String: [String]] {
        var attacks: [String: [String]] = [:]
        for row in try Page("security/threats.md").table("attacks").split(separator: "\n").dropFirst(2) {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count == 4, ["fails", "possible"].contains(cells[2]) else {
                throw Page.NoTable(name: String(row))
            }
            attacks[cells[0]] = cells[3].matches(of: #/`([^`]+)`/#).map { String($0.1) }
        }
        return attacks
    }

    /// Paragraphs, items of lists and rows of tables, each on one line; headings and the table of all attacks say
    /// nothing themselves.
    private static func statements(_ page: String) throws -> [String] {
        var statements = [""]
        var isTable = false
        for line in try text(page).split(separator: "\n", omittingEmptySubsequences: false) {
            isTable = line.hasPrefix("<!-- table") || (isTable && !line.hasPrefix("<!-- end"))
            if isTable || line.hasPrefix("#") || line.isEmpty { statements.append("") }
            guard !isTable, !line.hasPrefix("#") else { continue }
            let beginsAnew = line.hasPrefix("* ") || line.hasPrefix("| ") || line.first?.isNumber == true
            if beginsAnew { statements.append("") }
            statements[statements.count - 1] += " " + line.trimmingCharacters(in: .whitespaces)
        }
        return statements
    }

    private static func names(aCase statement: String, _ attacks: Set<String>) -> Bool {
        if statement.matches(of: #/\*([^*]+)\*/#).contains(where: { attacks.contains(String($0.1)) }) { return true }
        return statement.matches(of: #/`(Tests/[^`]+)`/#).contains { match in
            (try? FileStatus(at: Page.root + match.1)) != nil
        }
    }

    /// The word itself, in italics, is not a claim.
    private static func claims(_ statement: String) -> Bool {
        statement.replacing("*cannot*", with: "").contains(#/\b[Cc]annot\b/#)
    }

    @Test("Every statement that somebody cannot do something names an attack or a test that tries it", arguments: pages)
    func cannot(page: String) throws {
        let attacks = Set(try Self.attacks().keys)
        #expect(attacks.count > 60)
        let claims = try Self.statements(page).filter(Self.claims)
        #expect(claims.count > 1)
        for claim in claims {
            #expect(Self.names(aCase: claim, attacks), "no case: \(claim.prefix(200))")
        }
    }

    @Test("A statement without a case is found")
    func finds() throws {
        let attacks: Set<String> = ["a thief"]
        #expect(Self.claims("He cannot do it.") && !Self.claims("a *cannot* names") && !Self.claims("He can."))
        #expect(!Self.names(aCase: "He cannot do it (*a thief who tries*, `Tests/Nowhere`).", attacks))
        #expect(Self.names(aCase: "He cannot do it (*a thief*).", attacks))
        #expect(Self.names(aCase: "He cannot do it (`Tests/Hostile`).", attacks))
    }

    @Test("Every row of the table of attacks has its result, and names a file that registers attacks, or tests")
    func rows() throws {
        for (name, checks) in try Self.attacks() {
            #expect(!checks.isEmpty, "\(name)")
            for check in checks {
                let isThere =
                    try check.hasPrefix("Tests/")
                    ? (try? FileStatus(at: Page.root + check)) != nil
                    : Self.text("Tests/Hostile/\(check)").contains("attack(")
                #expect(isThere, "\(name): \(check)")
            }
        }
    }

    @Test("Who gets what is told in one place")
    func oneTable() throws {
        for folder in ["docs/", "docs/guides/", "docs/security/", "docs/formats/"] {
            for page in try FolderEntries.names(in: Page.root + folder).filter({ $0.hasSuffix(".md") })
            where folder + page != "docs/security/threats.md" {
                #expect(try !Self.text(folder + page).contains(#/\| *(who|attacker) *\|/#), "\(page)")
            }
        }
        #expect(try !Self.text("SECURITY.md").contains(#/\| *(who|attacker) *\|/#))
    }
}
