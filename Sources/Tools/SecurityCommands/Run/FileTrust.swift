import KeychainModel
import KeychainWire
import LinuxSystem

/// A file from a repository that names items: an env file or a template.
struct UntrustedFile {
    /// As the command line has it.
    let name: String
    /// The whole path of the file that was read, without links.
    let path: String
    let content: SecretBytes
    /// The links that lead from the name to the path.
    let links: [String]
    let status: FileStatus

    /// A file that is longer is no list of variables.
    static let longestBytes = 256 << 10

    /// Reads a file once; all that follows is about what was read. A pipe or a device is not read: it could say
    /// something else each time, or nothing for ever.
    init(_ name: String, for verb: String) throws(CommandFailure) {
        self.name = name
        let followed: FollowedLinks
        do throws(SystemError) {
            (content, path, status) = try AtomicFile.readSecretAndPath(name, limit: Self.longestBytes)
            followed = try FollowedLinks(name)
        } catch {
            throw .failed(
                "\(verb): \(name) cannot be read", cause: "\(error).",
                remedy: "Give a regular file of at most \(Self.longestBytes) bytes.")
        }
        links = followed.links
        try checkLinks(followed, for: verb)
    }
}

/// The question whether a file may have its items, and the memory of the answer.
///
/// A file that somebody else has written could name any item. So its first use shows what it names and what gets it.
/// The answer is an item in the keychain, which no file of a repository can forge. Its value is the whole content, so
/// that a file with one other byte is asked about again.
struct FileTrust {
    private let session: Session
    private let verb: String
    /// The receiver of the values: the program's path, or that of the file that is written.
    private let use: String
    /// A text that changes with the program.
    private let version: String
    /// The contents of the question: an answer to one that showed less is none.
    private static let form = "names, values and keychains"

    private var prompt: String { session.text("Go on? [y/N] ") }

    init(_ session: Session, for verb: String, use: String, version: String = "") {
        (self.session, self.verb, self.use, self.version) = (session, verb, use, version)
    }

    /// Lets files pass that were used before, unchanged and for the same use; asks about the others.
    ///
    /// - Parameter question: says what they name, where that is, and what gets it; called where somebody is asked.
    /// - Returns: the files that were asked about, to be remembered when they have been used.
    /// - Throws: ``CommandFailure`` where nobody can be asked, for more than a person sees at once, and for any answer
    ///   but yes.
    func check(_ files: [UntrustedFile], question: () -> FileQuestion) throws(CommandFailure) -> [UntrustedFile] {
        var unknown: [UntrustedFile] = []
        for file in files where try !isKnown(file) { unknown.append(file) }
        guard let first = unknown.first else { return [] }
        guard let terminal = session.terminal else {
            throw .failed(
                "\(verb): \(first.name) was not looked at before, or was changed",
                cause: "It names items for \(use), and nobody can be asked here whether it may have them.",
                remedy: "Use it once at a terminal, or give --trust-file after looking at it.")
        }
        let size = terminal.device.terminalSize ?? FileQuestion.usualSize
        guard let rows = question().rows(on: size, above: prompt) else {
            throw .failed(
                "\(verb): \(first.name) names more than can be asked about",
                cause: "The question does not fit on this terminal, and its beginning would move out of sight.",
                remedy: "Make the terminal larger, or look at the file and give --trust-file.")
        }
        guard try ask(rows, at: terminal) else {
            throw .failed(
                "\(verb): nothing was given to \(use)", cause: "The answer was not yes.",
                remedy: "Look at \(first.name), and answer y.")
        }
        return unknown
    }

    /// Remembers that files may be used so.
    func remember(_ files: [UntrustedFile]) throws(CommandFailure) {
        for file in files {
            if try answer(for: file) != nil { try forget(file) }
            _ = try session.send(verb) { () throws(Refusal) in
                var builder = try self.builder(.add, file)
                try builder.set("labl", .string("Trusted by security \(verb): \(file.path)"))
                try builder.set("desc", .string("trusted file"))
                try value(of: file).withSpan { (bytes) throws(Refusal) in try builder.set("v_Data", data: bytes) }
                return try builder.build()
            }
        }
    }

    private func ask(_ rows: [String], at terminal: Terminal) throws(CommandFailure) -> Bool {
        session.flush()
        do throws(SystemError) {
            for row in rows { try terminal.show(row + "\n") }
            guard case .line(let answer) = try terminal.askSecretly(prompt) else { return false }
            return answer.withSpan { bytes in
                let isYes = bytes.count == 3 && bytes[1] | 0x20 == 0x65 && bytes[2] | 0x20 == 0x73
                return (bytes.count == 1 || isYes) && bytes[0] | 0x20 == UInt8(ascii: "y")
            }
        } catch { throw CommandFailure("the terminal", error) }
    }

    private func isKnown(_ file: UntrustedFile) throws(CommandFailure) -> Bool {
        try answer(for: file)?.isEqual(to: value(of: file)) ?? false
    }

    private func answer(for file: UntrustedFile) throws(CommandFailure) -> SecretBytes? {
        do throws(CommandFailure) {
            let response = try session.send(verb) { () throws(Refusal) in
                var builder = try self.builder(.copyMatching, file)
                try builder.set("m_Limit", .string("m_LimitOne"))
                try builder.set("r_Data", .boolean(true))
                return try builder.build()
            }
            return response.items.first?.password
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }

    private func forget(_ file: UntrustedFile) throws(CommandFailure) {
        _ = try session.send(verb) { () throws(Refusal) in
            var builder = try self.builder(.delete, file)
            builder.leaveNoHistory()
            return try builder.build()
        }
    }

    private func value(of file: UntrustedFile) -> SecretBytes {
        let head = "\(version)\n\(Self.form)\n"
        let value = SecretBuffer(capacity: head.utf8.count + file.content.count)
        value.append(utf8: head)
        file.content.withSpan { value.append($0) }
        return value.finish()
    }

    /// A path without the sign of the arrow, so that no other path and use have the same account.
    static func escaped(_ path: String) -> String {
        let scalars = path.unicodeScalars.flatMap { $0 == "\\" || $0 == ">" ? ["\\", $0] : [$0] }
        return String(String.UnicodeScalarView(scalars))
    }

    private func builder(
        _ operation: ItemRequest.Operation, _ file: UntrustedFile
    ) throws(Refusal) -> ItemRequestBuilder {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string(ItemClass.genericPassword.code))
        try builder.set("svce", .string("security \(verb)"))
        try builder.set("acct", .string("\(Self.escaped(file.path)) -> \(use)"))
        return builder
    }
}
