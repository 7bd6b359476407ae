package import CommandOptions
import KeychainClient
import LinuxSystem

/// Turns a command line into an exit status (rule command.driver.status).
package enum Driver {
    /// Runs `security` with the words behind its name.
    ///
    /// - Returns: the status of the command: 0, 1, 2 for a wrong command line, or an `OSStatus`, of which the exit
    ///   status shows the low eight bits.
    package static func run(_ words: [Argument], in session: Session) -> Int32 {
        let status: Int32
        do throws(CommandFailure) { status = try start(words, session) } catch { status = session.report(error) }
        return session.finish(status)
    }

    private static func start(_ words: [Argument], _ session: Session) throws(CommandFailure) -> Int32 {
        let globals: ParsedArguments
        do throws(WrongCommandLine) {
            globals = try ArgumentParser.parseLeading(words, options: CommandTable.globalOptions)
        } catch {
            session.report(CommandFailure(error))
            return Help.printUsage(session)
        }
        session.isVerbose = globals.has("v")
        session.isQuiet = globals.has("q")
        session.writesJSON = globals.wantsJSON
        session.isForSystem = globals.has("S")
        session.imitatesMacOS = session.imitatesMacOS || globals.has("M")
        try session.takeColour(globals)
        if globals.has("V") {
            try ReleaseLines.show(session)
            return 0
        }
        if globals.has("E") { try EphemeralSession.begin(session) }
        if globals.has("h") || globals.wantsHelp { return execute([Argument("help")] + globals.operands, session) }
        if !globals.operands.isEmpty { return execute(globals.operands, session) }
        guard globals.has("i") || globals.has("p") else { return Help.printUsage(session) }
        return Interactive(session, prompt: globals.value("p")).run()
    }

    /// Runs one command, and says on stderr why it failed if it does.
    static func execute(_ words: [Argument], _ session: Session) -> Int32 {
        guard let name = words.first else { return 0 }
        guard let command = CommandTable.find(name, as: session.imitatesMacOS) else {
            let (problem, cause, remedy) = CommandTable.explanation(ofUnknown: name.text, as: session.imitatesMacOS)
            return session.report(.failed(problem, cause: cause, remedy: remedy))
        }
        let (wroteJSON, colour) = (session.writesJSON, session.colour)
        defer { (session.writesJSON, session.colour) = (wroteJSON, colour) }
        do throws(CommandFailure) {
            try run(command, Array(words.dropFirst()), session)
            return 0
        } catch {
            let status = session.report(error)
            if case .usage = error, !session.writesJSON { session.complain(with: command) }
            return status
        }
    }

    private static func run(_ command: Command, _ words: [Argument], _ session: Session) throws(CommandFailure) {
        if let program = command.program { try OtherProgram.become(program, words, session) }
        try perform(command, words, session, command.body)
    }

    /// Runs one command of a program that has no other.
    ///
    /// - Returns: 0, 1, or 2 for a wrong command line.
    package static func run(
        _ command: Command, _ words: [Argument], in session: Session, body: Command.Body
    ) -> Int32 {
        do throws(CommandFailure) {
            try perform(command, words, session, body)
            return session.finish(0)
        } catch {
            let status = session.report(error)
            if case .usage = error, !session.writesJSON { session.complain(with: command) }
            return session.finish(status)
        }
    }

    private static func perform(
        _ command: Command, _ words: [Argument], _ session: Session, _ body: Command.Body
    ) throws(CommandFailure) {
        session.layer = command.layer
        let words = command.ordered(words)
        let arguments = try ArgumentParser.parse(words, for: command)
        session.writesJSON = session.writesJSON || arguments.wantsJSON
        if session.isVerbose { session.echo(command, words, hiding: arguments.secretWords) }
        if arguments.wantsHelp { return Help.show([command], session) }
        guard command.operands.contains(arguments.operands.count) else { throw .usage(nil) }
        // The command before it may have been about another keychain.
        try session.turn(to: .login, command.name)
        try body(arguments, session)
    }
}

extension Session {
    /// Shows the command before it runs, each word quoted, passwords hidden.
    fileprivate func echo(_ command: Command, _ words: [Argument], hiding secrets: [Int]) {
        let quoted = words.enumerated().map { secrets.contains($0) ? " \"********\"" : " \($1.text.quoted)" }
        diagnostics.write("\(command.name)\(quoted.joined())\n")
    }

    fileprivate func complain(with command: Command) {
        diagnostics.write(Help.usage(of: command, self) + "        \(text(command.summary))\n")
    }
}
