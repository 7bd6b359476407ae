import KeychainModel
package import LinuxSystem

/// Gets passwords from the caller of the command: a person at a terminal, or a script through standard input.
package struct PasswordInput {
    private let session: Session
    private static let attempts = 3

    package init(_ session: Session) { self.session = session }

    /// Asks for the value of a new item.
    ///
    /// A terminal is asked twice; it has three tries. Otherwise the value is the standard input (see ``PipedSecret``),
    /// or the next line of it when the commands come from there too.
    ///
    /// - Parameter title: the item that the prompts name; nil for macOS's own prompts.
    /// - Throws: ``CommandFailure/canceled``; a failure when the two answers differ or there is no input.
    func newItemPassword(of title: String? = nil) throws(CommandFailure) -> SecretBytes {
        guard session.input.isTerminal else { return try pipedItemPassword() }
        let prompts =
            title.map { ["password for \($0): ", "retype password for \($0): "] }
            ?? ["password data for new item: ", "retype password for new item: "]
        for _ in 0..<Self.attempts {
            let password = try askTerminal(prompts[0])
            if password.isEqual(to: try askTerminal(prompts[1])) { return password }
            session.diagnostics.write("\(session.line("passwords don't match"))\n")
        }
        throw .failed("no password was given", remedy: "Type the same password twice.")
    }

    /// Asks for a passcode: at the terminal, or as the next line of standard input.
    ///
    /// - Throws: ``CommandFailure/canceled`` at the end of the input.
    package func passcode(_ prompt: String) throws(CommandFailure) -> SecretBytes {
        if session.input.isTerminal { return try askTerminal(prompt) }
        guard let line = try reading({ () throws(SystemError) in try session.input.readLine() }) else {
            throw .canceled
        }
        return line
    }

    private func pipedItemPassword() throws(CommandFailure) -> SecretBytes {
        if session.isInteractive { return try passcode("") }
        let bytes = try reading { () throws(SystemError) in try session.input.readAll() }
        guard bytes.count > 0 else {
            throw .failed(
                "no password on standard input", remedy: "Write it there, or use -w \"\" for an empty password.")
        }
        return PipedSecret.unwrap(bytes)
    }

    private func askTerminal(_ prompt: String) throws(CommandFailure) -> SecretBytes {
        guard session.mayAsk else { throw .refused(call: "prompt", .mayNotAsk) }
        session.flush()
        let answer = try reading { () throws(SystemError) in
            try Terminal(behind: session.input.descriptor).askSecretly(
                session.line(prompt), until: session.interruption)
        }
        guard case .line(let line) = answer else { throw .canceled }
        return line
    }

    private func reading<Result>(_ body: () throws(SystemError) -> Result) throws(CommandFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw CommandFailure("standard input", error) }
    }
}

extension Refusal {
    fileprivate static let mayNotAsk = Refusal(
        .interactionNotAllowed, Refusal.Rule(rawValue: "command.may-not-ask"), "prompt",
        "A password is needed, and the configuration says that nobody may be asked.",
        do: "Give it on standard input, or unset KEYCHAIN_INTERACTION.")
}
