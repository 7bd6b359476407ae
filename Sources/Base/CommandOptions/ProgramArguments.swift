package import LinuxSystem

/// The command line of a program, read by its table. These words are no secrets: daemons have options alone.
package struct ProgramArguments {
    /// The options in the order in which they came; a switch has an empty value.
    package private(set) var given: [(name: String, value: String)] = []

    /// Reads options until the end, or until `--help` or `--version`.
    ///
    /// - Throws: for a word that is no option, and for a value that the option cannot have.
    package init(_ words: some Sequence<String>, _ table: ProgramOptions) throws(WrongCommandLine) {
        var rest = Array(words)[...]
        while let name = rest.popFirst() {
            guard let option = table.options.first(where: { $0.name == name }) else {
                throw .unknown(name, in: table)
            }
            var value: String?
            if case .none = option.kind {} else { value = rest.popFirst() }
            if let problem = option.kind.problem(name, with: value) { throw WrongCommandLine(problem) }
            given.append((name, value ?? ""))
            if ["--help", "--version"].contains(name) { return }
        }
    }

    package func has(_ name: String) -> Bool { given.contains { $0.name == name } }

    /// The value of an option; of one given twice, the last.
    package func text(_ name: String) -> String? { given.last { $0.name == name }?.value }

    /// The values of an option that may come several times.
    package func all(_ name: String) -> [String] { given.filter { $0.name == name }.map(\.value) }

    /// The value of an option whose kind is a number.
    package func number(_ name: String) -> UInt64? { text(name).flatMap { UInt64($0) } }

    /// Takes over the descriptor that an option names.
    ///
    /// - Throws: when it is not open, or is a standard stream.
    package func descriptor(_ name: String) throws(WrongCommandLine) -> FileDescriptor? {
        guard let text = text(name) else { return nil }
        guard let descriptor = FileDescriptor(inherited: text) else {
            throw WrongCommandLine("\(name) takes the number of an open descriptor.")
        }
        return descriptor
    }

    /// The named options with their values, as they came.
    package func words(of names: [String]) -> [String] {
        given.filter { names.contains($0.name) }.flatMap { $0.value.isEmpty ? [$0.name] : [$0.name, $0.value] }
    }
}

extension WrongCommandLine {
    /// A word that is no option of the table, with the option that is nearest to it.
    fileprivate static func unknown(_ name: String, in table: ProgramOptions) -> WrongCommandLine {
        let mode = table.command.split(separator: " ").dropFirst().first.map { " with \($0)" } ?? ""
        let nearest = NearestName.find(name, among: table.options.map(\.name)).map { " Did you mean \($0)?" } ?? ""
        return WrongCommandLine("There is no argument \(name)\(mode).\(nearest)")
    }
}
