import CommandOptions
import LinuxSystem

/// The command line of `run`, read before anything is done.
struct RunRequest {
    /// Whether output is looked through for secrets.
    enum Masking: String, CaseIterable {
        case auto, always, never
    }

    /// A value under a name.
    struct Given {
        let name: String
        let reference: ItemReference
    }

    var variables: [Given] = []
    var descriptors: [Given] = []
    var files: [Given] = []
    var standardInput: ItemReference?
    let environmentFiles: [String]
    let services: [String]
    let inherited: [String]
    /// Variables that an env file may set though nobody is shown their values, or though their names look dangerous.
    let allowed: Set<String>
    var masking = Masking.auto
    let keepsCore, trustsFiles: Bool
    var statusDescriptor: CInt?
    let command: [Argument]

    static let options = [
        CommandOption("e", word: "env", value: "name=ref", "Set a variable to what the reference names."),
        CommandOption("E", word: "env-file", value: "file", "Set the variables of a file; references are replaced."),
        CommandOption("A", word: "all", value: "service", "Set a variable for each account of a service."),
        CommandOption("d", word: "fd", value: "name=ref", "Hand the value over in a descriptor, /dev/fd/N."),
        CommandOption("f", word: "file", value: "name=ref", "The same as a path that can be opened and read again."),
        CommandOption("i", word: "stdin", value: "ref", "Hand the value over as standard input."),
        CommandOption("m", word: "mask", value: "auto|always|never", "Replace secrets in the output."),
        CommandOption("c", word: "keep-core", "Leave the limit of core files as it is."),
        CommandOption("n", word: "inherit", value: "name", "Replace a reference in an inherited variable."),
        CommandOption("t", word: "trust-file", "Use env files without asking; they set secrets alone."),
        CommandOption("a", word: "allow", value: "name", "Let an env file set this variable to any value."),
        CommandOption("s", word: "status-fd", value: "n", "Write what became of the command there, as JSON."),
    ]

    /// - Throws: ``CommandFailure/usage(_:nearest:)``.
    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        // Words such as --json are the command's own behind it.
        guard arguments.endsOptions, arguments.operands.first != nil else {
            throw .usage("the command stands behind --")
        }
        command = arguments.operands
        environmentFiles = arguments.values("E").map(\.text)
        services = arguments.values("A").map(\.text)
        inherited = arguments.values("n").map(\.text)
        allowed = Set(arguments.values("a").map(\.text))
        (keepsCore, trustsFiles) = (arguments.has("c"), arguments.has("t"))
        variables = try Self.given(arguments.values("e"))
        descriptors = try Self.given(arguments.values("d"))
        files = try Self.given(arguments.values("f"))
        if let reference = arguments.value("i") { standardInput = try Self.reference(reference.text) }
        if let masking = arguments.value("m") {
            guard let known = Masking(rawValue: masking.text) else { throw .usage("--mask is auto, always or never") }
            self.masking = known
        }
        if let number = arguments.value("s") {
            guard let descriptor = CInt(number.text), descriptor > 2 else {
                throw .usage("--status-fd is the number of a descriptor above 2")
            }
            statusDescriptor = descriptor
        }
    }

    private static func given(_ values: [Argument]) throws(CommandFailure) -> [Given] {
        var given: [Given] = []
        for value in values {
            let parts = value.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, EnvironmentFile.isName(String(parts[0])) else {
                throw .usage("\(value.text.quoted) is not NAME=REFERENCE")
            }
            given.append(Given(name: String(parts[0]), reference: try reference(String(parts[1]))))
        }
        return given
    }

    private static func reference(_ text: String) throws(CommandFailure) -> ItemReference {
        do throws(ItemReference.Malformed) { return try ItemReference(text) } catch {
            throw .usage("\(text.quoted) is no reference: \(error.problem)")
        }
    }
}
