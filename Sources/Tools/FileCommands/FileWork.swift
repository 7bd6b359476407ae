package import CommandOptions
package import SecurityCommands

/// The work of `keychain-file`: one verb at a time, which the first word names.
package enum FileWork {
    /// Runs the command with the words behind its name.
    ///
    /// - Returns: 0; 1 when a file could not be read or written; 2 for a wrong command line; the low bits of an
    ///   `OSStatus` of the keychain.
    package static func run(_ words: [Argument], in session: Session) -> Int32 {
        let words = verbFirst(words)
        // The table's parser puts a first word that is no option behind the others.
        let isMoved = words.first.map { !$0.text.hasPrefix("-") } ?? false
        return Driver.run(FileCommand.command, words, in: session) { arguments, session throws(CommandFailure) in
            var operands = arguments.operands.map(\.text)
            let name = isMoved ? operands.removeLast() : operands.removeFirst()
            guard let verb = verbs.first(where: { $0.name == name }) else {
                throw .usage("the first word is a verb, such as protect or cat")
            }
            guard verb.operands.contains(operands.count) else { throw .usage(nil) }
            try verb.body(FileTask(arguments, operands, session))
        }
    }

    /// `security --json file info` becomes `keychain-file --json info`.
    private static func verbFirst(_ words: [Argument]) -> [Argument] {
        guard words.count > 1, words[0].text == "--json" else { return words }
        return [words[1], words[0]] + words.dropFirst(2)
    }

    private struct Verb: Sendable {
        let name: String
        let operands: ClosedRange<Int>
        let body: @Sendable (FileTask) throws(CommandFailure) -> Void
    }

    private static let verbs = [
        Verb(name: "protect", operands: 1...Int.max, body: ProtectFiles.protect),
        Verb(name: "unprotect", operands: 1...Int.max, body: ProtectFiles.unprotect),
        Verb(name: "move", operands: 1...Int.max, body: ProtectFiles.move),
        Verb(name: "cat", operands: 1...Int.max, body: ReadFiles.cat),
        Verb(name: "info", operands: 1...Int.max, body: ReadFiles.info),
        Verb(name: "verify", operands: 1...Int.max, body: ReadFiles.verify),
        Verb(name: "edit", operands: 1...1, body: EditFile.edit),
        Verb(name: "recovery", operands: 1...Int.max, body: RecoverFiles.set),
        Verb(name: "recovery-default", operands: 0...0, body: RecoverFiles.setDefault),
        Verb(name: "recovery-key", operands: 0...0, body: RecoverFiles.makeKey),
        Verb(name: "export", operands: 1...1, body: AgeFiles.export),
        Verb(name: "import", operands: 1...1, body: AgeFiles.take),
        Verb(name: "shelves", operands: 0...0, body: Shelves.list),
        Verb(name: "delete-shelf", operands: 1...1, body: Shelves.delete),
    ]
}
