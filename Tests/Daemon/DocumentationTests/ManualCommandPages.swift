import KeychainClient
import SecurityCommands

/// The parts of `security-COMMAND(1)`, made of the table of commands.
extension Command {
    private var own: CommandPage? { CommandPage.table.first { $0.command == name } }

    /// Title, name and synopsis.
    var pageHead: [String] {
        let title = "security-\(name)"
        return [".Dt \(title.uppercased()) 1", ".Os", ".Sh NAME", ".Nm \(title)", ".Nd \(ManualText.phrase(summary))"]
            + pageSynopsis
    }

    var pageSynopsis: [String] {
        let usage = synopsis.split(separator: "\n", omittingEmptySubsequences: false)
        return [".Sh SYNOPSIS"]
            + usage.flatMap { line in
                [".Nm security", ".Cm \(name)"] + (line.isEmpty ? [] : [ManualText.synopsis(line)])
            }
    }

    /// The sentences of help. The template goes on with facts that help has no room for.
    var pageDescription: [String] {
        [".Sh DESCRIPTION"] + ManualText.lines(summary) + (notes.isEmpty ? [] : [".Pp"])
            + ManualText.lines(notes.joined(separator: " "))
    }

    /// Everything behind the options.
    var pageRest: [String] { pageEnvironment + pageFiles + pageExits + pageExamples + pageSeeAlso }

    var pageExits: [String] {
        let usual = [".It 0", "The command has done what it was asked for."].filter { _ in
            exits.allSatisfy { $0.status != 0 }
        }
        let rows = exits.flatMap { [".It \($0.status)"] + ManualText.lines($0.meaning) }
        return [".Sh EXIT STATUS", ".Bl -tag -width Ds"] + usual + rows + [".El", ".Pp"]
            + ["Other failures have the statuses that", ".Xr security 1", "lists."]
    }

    var pageExamples: [String] {
        guard !examples.isEmpty else { return [] }
        return [".Sh EXAMPLES", ".Bd -literal -offset indent"] + examples.map { "$ " + ManualText.literal($0) } + [
            ".Ed"
        ]
    }

    private var pageEnvironment: [String] {
        guard let own, !own.environment.isEmpty else { return [] }
        let rows = own.environment.flatMap { name in
            [".It Ev \(name)"] + ManualText.lines(ManualTables.meaning(ofVariable: name) ?? "")
        }
        return [".Sh ENVIRONMENT", ".Bl -tag -width Ds"] + rows + [".El"]
    }

    private var pageFiles: [String] {
        guard let own, !own.files.isEmpty else { return [] }
        let rows = own.files.flatMap { [".It Pa \($0.path)"] + ManualText.lines($0.meaning) }
        return [".Sh FILES", ".Bl -tag -width Ds"] + rows + [".El"]
    }

    private var pageSeeAlso: [String] {
        ManualText.references(["security(1)", "keychain.conf(5)"] + (own?.seeAlso ?? []))
    }
}
