import CommandOptions
import LinuxSystem
import SecurityCommands

/// The Chinese pages of commands, `docs/man/zh_CN/man1/security-COMMAND.1`, made of the table of commands and of the
/// catalogue of messages.
///
/// The catalogue has help's texts, and not the prose of templates. So a page has the command, its options, exit
/// statuses and examples, and refers to the English one for the rest. Headings stay English: mdoc knows sections by
/// them. A page is made when the catalogue has all of its texts; until then, `man` shows the English one.
struct TranslatedPages {
    static let folder = ManualPages.folder + "zh_CN/man1/"

    /// Chinese texts by the English ones.
    private let words: [String: String]

    /// - Parameter catalogue: lines of `Tables/messages.tsv`; the third column is English, the fourth Chinese.
    init(catalogue: String) {
        let rows = catalogue.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        let pairs = rows.filter { $0.count > 3 && !$0[3].isEmpty }.map { (String($0[2]), String($0[3])) }
        words = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The pages with the catalogue that there is; without one there are none.
    static func made() throws -> [(name: String, text: String)] {
        let path = Page.root + "Tables/messages.tsv"
        guard try FileStatus(ofLink: path) != nil else { return [] }
        let pages = TranslatedPages(catalogue: try ManualPages.read(path))
        return CommandTable.commands.filter(\.hasPage).compactMap { command in
            pages.page(of: command).map { ("security-\(command.name).1", $0) }
        }
    }

    /// The page of a command; nil where a text has no translation.
    func page(of command: Command) -> String? {
        guard let summary = words[command.summary], let options = options(of: command), let exits = exits(of: command)
        else { return nil }
        let head = [
            ".\\\" Made of the table of commands and Tables/messages.tsv: UPDATE_DOCS=1 swift test.",
            ".Dd November 26, 2026", ".Dt SECURITY-\(command.name.uppercased()) 1", ".Os", ".Sh NAME",
            ".Nm security-\(command.name)", ".Nd \(summary.filter { $0 != "。" })",
        ]
        let description =
            [".Sh DESCRIPTION"] + ManualText.lines(summary) + ["完整说明见英文手册页：man \\-L C security\\-\(command.name)"]
        let parts =
            [head, command.pageSynopsis, description, options, exits, command.pageExamples]
            + [[".Sh SEE ALSO", ".Xr security 1"]]
        return parts.joined().map { $0 + "\n" }.joined()
    }

    private func options(of command: Command) -> [String]? {
        guard !command.options.isEmpty else { return [] }
        var lines = [".Pp", "选项：", ".Bl -tag -width Ds"]
        for option in command.options {
            guard let meaning = words[option.meaning] else { return nil }
            lines += [option.manualItem] + ManualText.lines(meaning)
        }
        return lines + [".El"]
    }

    private func exits(of command: Command) -> [String]? {
        guard !command.exits.isEmpty else { return [] }
        var lines = [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
        for exit in command.exits {
            guard let meaning = words[exit.meaning] else { return nil }
            lines += [".It \(exit.status)"] + ManualText.lines(meaning)
        }
        return lines + [".El"]
    }
}
