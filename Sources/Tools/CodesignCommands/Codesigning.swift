package import CommandOptions
import KeychainModel
package import SecurityCommands

/// The work of `keychain-codesign`: one action at a time, which the options name.
package enum Codesigning {
    /// Runs the command with the words behind its name.
    ///
    /// - Returns: 0; 1 when a file could not be signed or its signature does not hold; 2 for a wrong command line.
    package static func run(_ words: [Argument], in session: Session) -> Int32 {
        Driver.run(Codesign.command, words, in: session) { arguments, session throws(CommandFailure) in
            try action(arguments)(arguments, session)
        }
    }

    private typealias Action = @Sendable (ParsedArguments, Session) throws(CommandFailure) -> Void

    /// The action of each option. With another option, `-v` sets the level of detail; with a statement, `-s` names its
    /// maker. So these two come last.
    private static let actions: [(letter: Character, takesFiles: Bool, action: Action)] = [
        ("c", false, CreateTeamKey.run), ("T", false, ShowTeamID.run), ("r", false, MakeStatement.rotate),
        ("H", false, MakeStatement.handOver), ("R", true, SignFiles.removeSignatures),
        ("d", true, DisplayFiles.display),
        ("s", true, SignFiles.sign), ("v", true, VerifyFiles.verify),
    ]

    private static func action(_ arguments: ParsedArguments) throws(CommandFailure) -> Action {
        guard let chosen = actions.first(where: { arguments.has($0.letter) }) else { throw .usage(nil) }
        guard arguments.operands.isEmpty != chosen.takesFiles else {
            throw .usage(chosen.takesFiles ? "no file is given" : "no file is expected")
        }
        return chosen.action
    }
}
