import CommandOptions
import KeychainClient
import LinuxSystem

/// `security run`: starts a command with values of the keychain. Everything is known before anything starts.
struct RunCommand {
    private let request: RunRequest
    private let session: Session

    static let command = Command(
        "run", "Start a command with passwords of the keychain in its environment.",
        synopsis: "[--env name=ref]... [--env-file file]... [--all service] [options...] -- command [argument...]",
        options: RunRequest.options,
        notes: [
            """
            A reference is kc://SERVICE[/ACCOUNT][?class=inet&server-port=N][#FIELD], percent-encoded. FIELD is \
            password, account, label or comment. Without an account exactly one item must match. The exit status is \
            the command's, and a signal ends both. An inherited variable is a reference only with --inherit. Env files \
            never set PATH and its like; with --trust-file they set secrets such as TOKEN, and what --allow names. \
            Masking is against accidents, not against a command that wants to show a value.
            """,
            """
            While output is masked, run also waits for children of the command that keep its output open, as a \
            pipeline does: what they write is masked too.
            """,
        ],
        exits: [
            (44, "No item matches a reference, and nothing was started."), (126, "The command cannot be executed."),
            (127, "The command is not found."),
        ],
        examples: [
            "security run --env TOKEN=kc://deploy/ci -- make publish",
            "security run --env-file .env -- ./serve",
            "security run --stdin kc://deploy/ci -- docker login -u ci --password-stdin registry.example",
        ],
        operands: 0...Int.max, textOperands: 1
    ) { arguments, session throws(CommandFailure) in
        guard !session.isInteractive else {
            throw .failed(
                "run takes the place of this command", cause: "Its commands come from standard input here.",
                remedy: "Give it by itself, not to `security -i`.")
        }
        try RunCommand(request: RunRequest(arguments), session: session).run()
    }

    private func run() throws(CommandFailure) {
        let report = try RunReport(request.statusDescriptor)
        do throws(CommandFailure) { try start(report) } catch {
            if case .ended = error { throw error }
            report.write(notStarted: error.status)
            throw error
        }
    }

    private func start(_ report: RunReport) throws(CommandFailure) {
        if !request.keepsCore { try ProcessHardening.forbidCores(for: "run") }
        var environment = ChildEnvironment(ProcessEnvironment.variables)
        let command = try OpenedCommand(
            request.command[0].text,
            searchPath: environment.value("PATH")?.withSpan { $0.text(0, $0.count) ?? "" })
        let files = try EnvironmentFiles(request.environmentFiles, allowed: request.allowed)
        let inherited = try inheritedReferences(environment)
        let trust = FileTrust(session, for: "run", use: command.path, version: command.version)
        if request.trustsFiles { try files.checkUnseen(allowed: request.allowed) }
        let resolver = ReferenceResolver(session, for: "run")
        var places: [ItemReference: ChosenKeychain] = [:]
        let asked =
            try request.trustsFiles
            ? []
            : trust.check(files.files) {
                places = resolver.places(of: files.references)
                return files.question(command.path, request.command, places, session)
            }
        let values = try resolver.values(
            of: files.references + inherited.map(\.reference) + request.references, services: request.services,
            places: places, reason: reason(command.path))
        try ProcessHardening.hideMemory(for: "run")
        try trust.remember(asked)
        var secrets = RunSecrets()
        try secrets.set(values, request, files, inherited, in: &environment)
        nameUnresolved(environment)
        let execution = try command.execution(request.command, environment.texts)
        try launch(execution, secrets, report)
    }

    /// The references in inherited variables that the command line names. Others may have come from anywhere, such as
    /// the title of a pull request.
    private func inheritedReferences(
        _ environment: ChildEnvironment
    ) throws(CommandFailure) -> [RunRequest.Given] {
        var given: [RunRequest.Given] = []
        for name in request.inherited {
            guard let text = environment.value(name)?.withSpan({ $0.text(0, $0.count) }) else {
                throw .failed(
                    "run: \(name) is not inherited", cause: "--inherit names a variable that is not set.",
                    remedy: "Set it to a reference, or leave --inherit out.")
            }
            do throws(ItemReference.Malformed) {
                given.append(.init(name: name, reference: try ItemReference(text)))
            } catch {
                throw .failed(
                    "run: the variable \(name) is no reference", cause: "\(error.problem.asSentence)",
                    remedy: "Set it to a reference, or leave --inherit out.")
            }
        }
        return given
    }

    private func reason(_ path: String) -> String {
        ForeignText.shown("start \(path)", limit: 200)
    }

    /// Says which variables were passed on though they name items.
    private func nameUnresolved(_ environment: ChildEnvironment) {
        let names = environment.namesOfReferences
        guard !names.isEmpty, !session.isQuiet else { return }
        if session.writesJSON {
            return session.diagnostics.write(.object([("unresolved", .array(names.map { .string($0) }))]))
        }
        session.complain("run: inherited references are passed on as they are: \(names.joined(separator: ", "))")
        session.complain("next: --inherit \(names[0]) replaces one by its value")
    }

    private func launch(
        _ execution: ProgramExecution, _ secrets: RunSecrets, _ report: RunReport
    ) throws(CommandFailure) {
        if request.masking != .never {
            for name in secrets.tooShort where !session.isQuiet && !session.writesJSON {
                session.complain(
                    "run: \(name) is shorter than \(SecretForms.fewestBytes) bytes and is not masked")
            }
        }
        let streams = MaskedStreams(request.masking, session, hasSecrets: !secrets.forms.isEmpty)
        session.flush()
        let end: WatchedChild.End
        do throws(SystemError) {
            guard streams.isNeeded || report.isWanted else {
                try secrets.takeStandardInput()
                try execution.takeOver()
            }
            end = try MaskedProgram(streams, secrets).run(execution)
        } catch { throw .cannotExecute(request.command[0].text, error) }
        report.write(end: end)
        switch end {
        case .exited(let status): throw .ended(status)
        case .killed(let signal): CurrentProcess.die(of: signal)
        }
    }
}

extension ProcessHardening {
    /// From here on no other program of the user's reads this one's memory. The user's own daemon is one of them: it
    /// must have seen which program this is, so the memory is hidden once the values have come.
    static func hideMemory(for verb: String) throws(CommandFailure) {
        do throws(SystemError) { try hideMemory() } catch { throw hidingFailure(verb, error) }
    }

    /// From here on no crash writes the memory into a file.
    static func forbidCores(for verb: String) throws(CommandFailure) {
        do throws(SystemError) { try forbidCores() } catch { throw hidingFailure(verb, error) }
    }

    private static func hidingFailure(_ verb: String, _ error: SystemError) -> CommandFailure {
        CommandFailure("\(verb): the memory cannot be hidden", error)
    }
}

extension RunRequest {
    /// All references of the command line.
    var references: [ItemReference] {
        (variables + descriptors + files).map(\.reference) + (standardInput.map { [$0] } ?? [])
    }
}

extension String {
    /// The text with a capital letter and a full stop.
    var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
