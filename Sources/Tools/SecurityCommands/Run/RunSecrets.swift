import LinuxSystem

/// The values on their way to the command: in its environment, in memory files, as its input; and the forms in which
/// its output must not show them.
struct RunSecrets {
    private(set) var forms: [MaskedForm] = []
    /// The names of values that are not masked.
    private(set) var tooShort: [String] = []
    /// Open until the command has them.
    private var memoryFiles: [FileDescriptor] = []
    private var input: SecretBytes?

    /// Puts every value in its place. Where a name is set twice, the command line counts before files, and both before
    /// what was inherited.
    ///
    /// - Throws: ``CommandFailure`` for a value that cannot be in an environment.
    mutating func set(
        _ values: ReferencedValues, _ request: RunRequest, _ files: EnvironmentFiles, _ inherited: [RunRequest.Given],
        in environment: inout ChildEnvironment
    ) throws(CommandFailure) {
        for (account, password) in values.profiles {
            try Self.checkProfile(account, request.allowed)
            try set(account, password, in: &environment)
        }
        for variable in files.variables {
            switch variable.value {
            case .plain(let text): environment.set(variable.name, text)
            case .item(let reference): try set(variable.name, values.single[reference], in: &environment)
            }
        }
        for given in inherited + request.variables {
            try set(given.name, values.single[given.reference], in: &environment)
        }
        try handOver(request.descriptors, at: "/dev/fd/", values, &environment)
        try handOver(request.files, at: "/proc/self/fd/", values, &environment)
        if let reference = request.standardInput, let value = values.single[reference] {
            input = value
            mask(value, "stdin")
        }
    }

    /// A pipe with the value that is to be the command's input; nil for none.
    ///
    /// - Throws: `SystemError` of `pipe2`, `fcntl` or `write`.
    func inputPipe() throws(SystemError) -> FileDescriptor? {
        guard let input else { return nil }
        return try .pipe(containing: input)
    }

    /// Makes such a pipe the input of this process, which becomes the command.
    ///
    /// - Throws: as ``inputPipe()``.
    func takeStandardInput() throws(SystemError) { try inputPipe()?.becomeStandardInput() }

    private mutating func set(
        _ name: String, _ value: SecretBytes?, in environment: inout ChildEnvironment
    ) throws(CommandFailure) {
        guard let value else { return }
        let hasZero = value.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        guard !hasZero else {
            throw .failed(
                "run: the value of \(name) has a zero byte", cause: "No variable of an environment can have one.",
                remedy: "Hand it over with --fd or --file.")
        }
        environment.set(name, value)
        mask(value, name)
    }

    private mutating func handOver(
        _ list: [RunRequest.Given], at folder: String, _ values: ReferencedValues, _ environment: inout ChildEnvironment
    ) throws(CommandFailure) {
        for given in list {
            guard let value = values.single[given.reference] else { continue }
            do throws(SystemError) {
                let file = try PasscodeFile.make(value)
                try file.keepOnExec()
                memoryFiles.append(file)
                environment.set(given.name, SecretBytes(copying: Array("\(folder)\(file.number)".utf8).span))
            } catch { throw CommandFailure("run: \(given.name) cannot be handed over", error) }
            mask(value, given.name)
        }
    }

    private mutating func mask(_ value: SecretBytes, _ name: String) {
        let own = SecretForms.all(of: value, named: name)
        if own.isEmpty, value.count > 0 { tooShort.append(name) }
        forms += own
    }

    /// An item may be called anything, and its name was not typed on this command line.
    private static func checkProfile(_ account: String, _ allowed: Set<String>) throws(CommandFailure) {
        guard EnvironmentFile.isName(account) else {
            throw .failed(
                "run: the account \(account.quoted) cannot be the name of a variable",
                cause: "--all sets a variable for each account of the service.",
                remedy: "Name its items one by one: --env NAME=\(ItemReference.scheme)SERVICE/ACCOUNT.")
        }
        if let reason = ProtectedVariables.reason(against: account) {
            throw .failed(
                "run: an account may not set \(account)", cause: reason,
                remedy: "Give it with --env if it is meant.")
        }
        if !allowed.contains(account), let shape = ProtectedVariables.shape(of: account) {
            throw .failed(
                "run: an account may not set \(account)",
                cause: shape.reason,
                remedy: "Look at the value, and give --allow \(account).")
        }
    }
}
