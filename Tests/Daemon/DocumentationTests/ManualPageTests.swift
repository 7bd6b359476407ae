import CommandOptions
import Glibc
import LinuxSystem
import SecurityCommands
import Testing

@Suite("The manual pages are made of the tables of options", .serialized)
struct ManualPageTests {
    /// `UPDATE_DOCS=1 swift test --filter DocumentationTests` writes the pages.
    @Test("A page is its template with the tables that the programs have", arguments: ManualPages.names)
    func page(_ name: String) throws {
        let (made, path) = (try ManualPages.made(name), ManualPages.folder + name)
        if updatesPages { try AtomicFile.replace(path, with: Array(made.utf8).span, mode: 0o644) }
        #expect(try ManualPages.read(path) == made, "run UPDATE_DOCS=1 swift test")
    }

    @Test("The Chinese pages are those that the catalogue of messages has all texts of")
    func chinesePages() throws {
        let made = try TranslatedPages.made()
        if updatesPages, !made.isEmpty {
            for folder in ["zh_CN", "zh_CN/man1"] { _ = unsafe mkdir(ManualPages.folder + folder, 0o755) }
            for page in made {
                let text = Array(page.text.utf8)
                try AtomicFile.replace(TranslatedPages.folder + page.name, with: text.span, mode: 0o644)
            }
        }
        for page in made { #expect(try ManualPages.read(TranslatedPages.folder + page.name) == page.text) }
    }

    @Test("A Chinese page has its command's options and examples, and none is made while a text is missing")
    func chinesePage() throws {
        let command = try #require(CommandTable.commands.first { $0.name == "undelete" })
        let texts = [command.summary] + command.options.map(\.meaning) + command.exits.map(\.meaning)
        let rows = Set(texts).sorted().map { "help\tid\t\($0)\t译文。\tcontext\t100" }
        let page = try #require(TranslatedPages(catalogue: rows.joined(separator: "\n")).page(of: command))
        #expect(page.contains(".Nd 译文\n"))
        for option in command.options { #expect(page.contains("\(option.manualItem)\n译文。\n")) }
        #expect(page.contains("$ security undelete deploy/ci\n"))
        for index in rows.indices {
            var fewer = rows
            fewer.remove(at: index)
            #expect(TranslatedPages(catalogue: fewer.joined(separator: "\n")).page(of: command) == nil)
        }
    }

    @Test("The page of the command has all commands in their order, each with its options")
    func commands() throws {
        let template = try ManualPages.read(ManualPages.folder + "templates/security.1").split(separator: "\n")
        for kind in ["command", "options"] {
            let prefix = ".\\\" table: \(kind) "
            let named = template.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
            let commands = CommandTable.commands.filter {
                kind == "command" || !$0.options.isEmpty && $0.page == "security(1)"
            }
            #expect(named == commands.map(\.name))
        }
    }

    @Test("A page of a command exists for each verb of people, with its options and examples")
    func pagesOfCommands() throws {
        for command in CommandTable.commands where command.layer == .people || command.hasPage {
            #expect(command.hasPage, "\(command.name)")
            #expect(!command.examples.isEmpty, "\(command.name)")
            let template = try ManualPages.read(ManualPages.folder + "templates/security-\(command.name).1")
            for part in ["head", "description", "rest"] + (command.options.isEmpty ? [] : ["options"]) {
                #expect(template.contains(".\\\" table: \(part) \(command.name)\n"), "\(command.name): \(part)")
            }
        }
    }

    @Test("The page about macOS's commands names commands that there are, and no others")
    func macCommands() {
        let names = Set(CommandTable.commands.map(\.name))
        for command in MacCommand.table { #expect(names.contains(command.name), "\(command.name)") }
        for name in MacCommand.absent + UnknownCommand.onMacOS.keys { #expect(!names.contains(name), "\(name)") }
    }

    @Test("Pages refer to pages that there are, or that other packages have")
    func references() throws {
        let foreign: Set = [
            "age 1", "age-keygen 1", "docker 1", "git 1", "gitcredentials 7", "gpg 1", "pam 8", "pass 1",
            "pinentry-curses 1", "strip 1", "systemd 1", "systemd.exec 5", "unzip 1", "update-ca-certificates 8",
            "wl-copy 1", "xclip 1",
        ]
        let own = Set(
            ManualPages.names.map { name in "\(name.dropLast(2)) \(name.suffix(1))" })
        for name in ManualPages.names {
            for line in try ManualPages.made(name).split(separator: "\n") where line.hasPrefix(".Xr ") {
                let page = line.dropFirst(4).split(separator: " ").prefix(2).joined(separator: " ")
                #expect(own.contains(page) || foreign.contains(page), "\(name): \(page)")
            }
        }
    }

    @Test("Variables that pages name have a meaning in a table")
    func variables() {
        for page in CommandPage.table {
            for name in page.environment { #expect(ManualTables.meaning(ofVariable: name) != nil, "\(name)") }
        }
    }

    @Test("The page of the PAM module has the options that the module reads")
    func optionsOfModule() throws {
        let source = try ManualPages.read(Page.root + "Sources/Bridges/pam_keychain/options.c")
        let page = try ManualPages.read(ManualPages.folder + "templates/pam_keychain.8")
        let read = source.matches(of: #/(?:strcmp|value)\(word, "([a-z_]+)=?"\)/#).map { String($0.output.1) }
        #expect(read.count == 8)
        for option in read { #expect(page.contains(".It Cm \(option)"), "\(option)") }
    }
}
