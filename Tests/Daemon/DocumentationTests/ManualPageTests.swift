import LinuxSystem
import SecurityCommands
import Testing

@Suite("The manual pages are made of the tables of options", .serialized)
struct ManualPageTests {
    /// `UPDATE_DOCS=1 swift test --filter DocumentationTests` writes the pages.
    @Test("A page is its template with the tables that the programs have", arguments: ManualPages.names)
    func page(_ name: String) throws {
        let made = try ManualPages.made(name)
        if updatesPages { try AtomicFile.replace(ManualPages.path(name), with: Array(made.utf8).span, mode: 0o644) }
        #expect(try ManualPages.read(ManualPages.path(name)) == made, "run UPDATE_DOCS=1 swift test")
    }

    @Test("The page of the command has all commands in their order, each with its options")
    func commands() throws {
        let template = try ManualPages.read(Page.root + "docs/man/templates/security.1").split(separator: "\n")
        for kind in ["command", "options"] {
            let prefix = ".\\\" table: \(kind) "
            let named = template.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            let commands = CommandTable.commands.filter { kind == "command" || !$0.options.isEmpty }
            #expect(named == commands.map(\.name))
        }
    }
}
