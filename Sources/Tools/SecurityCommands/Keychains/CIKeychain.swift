import CommandOptions
import KeychainClient
import KeychainModel
import LinuxSystem

/// `ci-start` and `ci-stop`: a keychain for one job, in memory.
enum CIKeychain {
    static let start = Command(
        "ci-start", "Start a keychain in memory for one job, and print the variables that lead to it.",
        synopsis: "[--name name] [--password-fd fd] [--ttl time] [--owner pid] [--format sh|env|github|gitlab]",
        options: [
            CommandOption("n", word: "name", value: "name", "A word in its folder's name. Default: ci."),
            CommandOption("w", word: "password-fd", value: "fd", "Read its password there. Default: a random one."),
            CommandOption("t", word: "ttl", value: "time", "End it after this time: 90s, 30m, 6h."),
            CommandOption("o", word: "owner", value: "pid", "End it with this process. Default: the job's worker."),
            CommandOption("f", word: "format", value: "format", "sh (the default): commands for eval; else K=V lines."),
        ],
        notes: [
            """
            The keychain is open, never prompts and locks only when told to. It ends with the job's worker (a known \
            runner above this command, else the leader of its session, else its first ancestor in the session), after \
            --ttl, or by ci-stop; nothing is left of it then. Keychains that create-keychain makes in the job end with \
            it. Other jobs of the same user can use it.
            """
        ],
        examples: [
            "eval \"$(security ci-start)\"", "security ci-start --ttl 30m --format github >>\"$GITHUB_ENV\"",
        ]
    ) { arguments, session throws(CommandFailure) in
        let format = try Format(arguments)
        let keychain: ThrowAwayKeychain
        let plan = try plan(arguments)
        do throws(Refusal) { keychain = try session.jobs.start(plan) } catch {
            throw .refused(call: "ci-start", error)
        }
        guard !session.writesJSON else {
            return session.output.write(.object(keychain.variables.map { ($0.name, .string($0.value)) }))
        }
        session.output.write(format.text(of: keychain.variables))
    }

    static let stop = Command(
        "ci-stop", "End the keychain that ci-start has started.", synopsis: "",
        notes: [
            """
            KEYCHAIN_SOCKET and KEYCHAIN_CI say which one. It has ended, and its folder is gone, when this command \
            ends. One that has ended already is no failure.
            """
        ],
        examples: ["security ci-stop"]
    ) { _, session throws(CommandFailure) in
        do throws(Refusal) { try session.jobs.stop() } catch { throw .refused(call: "ci-stop", error) }
    }

    private static func plan(_ arguments: ParsedArguments) throws(CommandFailure) -> ThrowAwayKeychain.Plan {
        var plan = ThrowAwayKeychain.Plan()
        if let name = arguments.value("n")?.text { plan.name = try checked(name: name) }
        plan.seconds = try arguments.value("t").map { text throws(CommandFailure) in try seconds(text.text) }
        plan.owner = try arguments.value("o").map { text throws(CommandFailure) in
            guard let number = Int32(text.text), number > 0 else { throw .usage("--owner takes a process number") }
            return number
        }
        if plan.owner == nil { plan.owner = JobOwner.find() }
        guard plan.owner != nil || plan.seconds != nil else {
            throw .failed(
                "ci-start: no process was found that ends with the job", remedy: "Give --owner PID or --ttl TIME.")
        }
        plan.password = try arguments.value("w").map { text throws(CommandFailure) in try password(text.text) }
        return plan
    }

    private static let longestName = 32

    private static func checked(name: String) throws(CommandFailure) -> String {
        let isPlain = name.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }
        guard isPlain, (1...longestName).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw .usage("--name takes up to \(longestName) of a-z, 0-9 and -")
        }
        return name
    }

    private static func seconds(_ text: String) throws(CommandFailure) -> UInt64 {
        let units: [Character: UInt64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
        let unit = text.last.flatMap { units[$0] }
        guard let number = UInt64(unit == nil ? text[...] : text.dropLast()), number <= 31_536_000,
            (1...31_536_000).contains(number * (unit ?? 1))
        else { throw .usage("--ttl takes a time such as 90s, 30m or 6h, of at most a year") }
        return number * (unit ?? 1)
    }

    private static func password(_ text: String) throws(CommandFailure) -> SecretBytes {
        guard let number = Int32(text), number >= 0 else { throw .usage("--password-fd takes an open descriptor") }
        do throws(SystemError) {
            let line = try Input(FileDescriptor.duplicate(number)).readLine()
            guard let line, line.count > 0 else {
                throw SystemError(code: 22, call: "read", advice: "the password is empty")
            }
            return line
        } catch { throw CommandFailure("--password-fd", error) }
    }
}

extension CIKeychain {
    /// How the variables are written.
    private enum Format: String, CaseIterable {
        case sh, env, github, gitlab

        init(_ arguments: ParsedArguments) throws(CommandFailure) {
            let word = arguments.value("f")?.text ?? Format.sh.rawValue
            guard let format = Format(rawValue: word) else {
                throw .usage("--format takes \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self = format
        }

        /// The values are paths and digits.
        func text(of variables: [(name: String, value: String)]) -> String {
            if self != .sh { return variables.map { "\($0.name)=\($0.value)\n" }.joined() }
            let commands = variables.map { "export \($0.name)=\(ShellWord.inQuotes($0.value))" }
            return commands.joined(separator: "; ") + "\n"
        }
    }
}
