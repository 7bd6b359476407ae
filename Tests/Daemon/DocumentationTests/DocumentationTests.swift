import KeychainWire
import LinuxSystem
import Testing

@Suite("The documentation says what the product does", .serialized)
struct DocumentationTests {
    struct Table: Sendable, CustomTestStringConvertible {
        let page: String
        let name: String
        let text: @Sendable () throws -> String
        var testDescription: String { "\(page): \(name)" }
    }

    static let tables = [
        Table(page: "formats/store.md", name: "schema") { try FormatTables.schema },
        Table(page: "formats/store.md", name: "numbers") { FormatTables.numbers },
        Table(page: "reference.md", name: "classes") { ReferenceTables.classes },
        Table(page: "reference.md", name: "attributes") { ReferenceTables.attributes },
        Table(page: "reference.md", name: "keys") { ReferenceTables.keys },
        Table(page: "reference.md", name: "key types") { AlgorithmTables.types },
        Table(page: "reference.md", name: "algorithms") { AlgorithmTables.algorithms },
        Table(page: "reference.md", name: "settings") { ReferenceTables.settings },
        Table(page: "coverage.md", name: "counts") { CoverageTables.counts },
        Table(page: "coverage.md", name: "exceptions") { CoverageTables.exceptions },
    ]

    @Test("Nothing that is declared is lost: at most so many symbols of Apple's headers are absent")
    func coverage() {
        let states = CoverageTables.symbols.map(CoverageTables.state)
        #expect(states.count > 1500)
        #expect(states.count { $0 == .absent } <= 238)
        #expect(states.count { $0 == .failsClosed } <= 27)
    }

    @Test("The release that programs show is the one that the packages, the release notes and the manifests have")
    func release() throws {
        func text(_ path: String) throws -> String {
            String(decoding: try AtomicFile.read(Page.root + path, limit: 1 << 20), as: UTF8.self)
        }
        #expect(try text("packaging/debian/changelog").hasPrefix("swift-keychain (\(Release.current)) "))
        #expect(try text("CHANGELOG.md").contains("\n## \(Release.current)\n"))
        for page in ["README.md", "docs/guides/swift.md"] {
            #expect(try text(page).contains("swift-keychain.git\", from: \"\(Release.current)\")"), "\(page)")
        }
    }

    /// `UPDATE_DOCS=1 swift test --filter DocumentationTests` brings the pages up to date.
    @Test("A table in the documentation is the one the product has", arguments: tables)
    func table(_ table: Table) throws {
        var page = try Page(table.page)
        let text = try table.text()
        if updatesPages { try page.replace(table.name, with: text) }
        #expect(try page.table(table.name) == text, "run UPDATE_DOCS=1 swift test --filter DocumentationTests")
    }
}
