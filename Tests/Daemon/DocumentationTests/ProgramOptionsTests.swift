import CommandOptions
import Testing

@Suite("Tables of options") struct ProgramOptionsTests {
    private let table = ProgramOptions(
        "server", "Serves.",
        options: [
            ProgramOption("--store", value: "FOLDER", .absolutePath, count: .required, "The folder."),
            ProgramOption("--loops", value: "N", .number(1...64), "How many threads answer."),
            ProgramOption("--mode", value: "yes|no", .oneOf(["yes", "no"]), "A choice."),
            ProgramOption("--system", .firstWord, "Another table."), ProgramOption("--help", "Show this text."),
        ])

    @Test(
        "A word that the table does not take is refused with the reason",
        arguments: [
            (["--stroe", "/x"], "There is no argument --stroe. Did you mean --store?"),
            (["extra"], "There is no argument extra."), (["--store"], "--store takes an absolute path."),
            (["--store", "x"], "--store takes an absolute path."),
            (["--loops", "65"], "--loops takes a number from 1 to 64."), (["--mode", "on"], "--mode takes yes or no."),
            (["--loops", "2", "--system"], "--system is only understood as the first word."),
        ])
    func refusals(words: [String], problem: String) {
        #expect { try ProgramArguments(words, table) } throws: { ($0 as? WrongCommandLine)?.problem == problem }
    }

    @Test("The last value of an option counts, and nothing behind --help is read")
    func values() throws {
        let given = try ProgramArguments(["--loops", "2", "--loops", "3", "--help", "--nonsense"], table)
        #expect(given.number("--loops") == 3 && given.has("--help") && given.text("--store") == nil)
        #expect(given.words(of: ["--loops"]) == ["--loops", "2", "--loops", "3"])
    }

    @Test("Help has usage, summary and a line for each option")
    func help() {
        #expect(
            table.help == """
                usage: server --store FOLDER [--loops N] [--mode yes|no] [--help]
                       server --system [...]

                Serves.

                  --store FOLDER          The folder.
                  --loops N               How many threads answer.
                  --mode yes|no           A choice.
                  --system                Another table.
                  --help                  Show this text.
                """)
    }
}
