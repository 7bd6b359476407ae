import FileAccess
import FileFormat
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands

/// `file edit`: the content goes to a file in memory, to the user's editor, and back into the protected file.
struct EditFile {
    private let task: FileTask
    private let path: String
    private let keychain: FileKeychain
    /// A folder in memory that this user alone enters.
    private let folder: String

    static func edit(_ task: FileTask) throws(CommandFailure) {
        guard let base = MemoryFolders.find() else {
            throw .failed(
                "there is no folder in memory", cause: "The content would reach a disk.",
                remedy: "Mount one at /dev/shm, or set XDG_RUNTIME_DIR.")
        }
        let folder = "\(base)/keychain-edit-\(FileID().text)"
        let edit = EditFile(task: task, path: task.operands[0], keychain: try task.keychain(), folder: folder)
        defer { try? PrivateDirectory.remove(folder) }
        try edit.run()
    }

    private func run() throws(CommandFailure) {
        let (place, recipients) = (try place(), try task.recipients())
        let input = try InputFile.open(path)
        let replaced = try working { () throws(SystemError) in try ReplacedFile(converting: input, at: path) }
        let copy = "\(folder)/\(Self.name(of: path))"
        let before = try takeOut(input, to: copy)
        try startEditor(copy)
        let edited = try InputFile.open(copy)
        guard try working({ () throws(SystemError) in try FileStatus(of: edited) }) != before else {
            return task.session.complain("Nothing was changed.")
        }
        try task.working(on: path) { () throws(Refusal) in
            try FileContent(keychain).protect(
                edited, to: replaced.output, in: place, recovery: recipients, name: path)
        }
        try working(replaced.commit)
    }

    /// Where the file belongs now.
    private func place() throws(CommandFailure) -> ShelfPlace {
        let recipients = Set(try task.recipients().map(\.id))
        return try task.working(on: path) { () throws(Refusal) in
            let header = try FileContent.claim(of: path).header
            let shelves = try keychain.shelves()
            guard let shelf = shelves.first(where: { $0.id == header.shelfSlot.shelf }) else { throw .strangeShelf }
            let isOfDevice = shelf.place.binding.accessibility.isThisDeviceOnly
            let given = isOfDevice ? [] : try keychain.recovery().map(\.id)
            // Their keys are not in the file.
            guard Set(header.recoverySlots.map(\.shelf)).union(given) == recipients.union(given) else {
                throw .otherRecipients
            }
            return shelf.place
        }
    }

    /// Writes the content, and gives the status of what was written.
    private func takeOut(_ input: FileDescriptor, to copy: String) throws(CommandFailure) -> FileStatus {
        let output = try working { () throws(SystemError) in
            try PrivateDirectory.ensure(folder)
            return try FileDescriptor.open(copy, O_WRONLY | O_CREAT | O_EXCL)
        }
        if Self.hasSwap { task.session.complain("the machine may write its memory to a disk: it has swap space") }
        try task.working(on: path) { () throws(Refusal) in
            try FileContent.open(input, by: keychain, name: path) { (bytes) throws(Refusal) in
                do throws(SystemError) { try output.writeFully(bytes) } catch { throw .noMemory(error) }
            }
        }
        return try working { () throws(SystemError) in try FileStatus(of: output) }
    }

    private static var hasSwap: Bool {
        guard let lines = try? AtomicFile.read("/proc/swaps", limit: 1 << 16) else { return false }
        return lines.count { $0 == UInt8(ascii: "\n") } > 1
    }

    /// The last component of the path: editors look at its ending.
    private static func name(of path: String) -> String {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
        return last.count > 200 ? "content" : String(last) ?? "content"
    }

    /// Editors are commands of the shell, as for git.
    private func startEditor(_ copy: String) throws(CommandFailure) {
        let session = task.session
        let editor = ["VISUAL", "EDITOR"].compactMap { session.environment($0) }.first { !$0.isEmpty } ?? "vi"
        let code = try working { () throws(SystemError) in
            let child = try ChildProcess.start(
                "/bin/sh", ["-c", "\(editor) \"$1\"", "sh", copy], environment: Self.environment(session),
                input: .duplicate(STDIN_FILENO), output: .duplicate(STDOUT_FILENO), asksAtTerminal: true)
            try child.endDescriptor().wait(for: .readable, deadline: .never)
            return child.reap()
        }
        guard code == 0 else {
            throw .failed(
                "the editor has failed", cause: "The file is as it was; what was edited is gone.",
                remedy: "Set VISUAL or EDITOR to a program that waits until the file is closed.")
        }
    }

    private static func environment(_ session: Session) -> [String: String] {
        let names = [
            "COLORTERM", "DISPLAY", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "SHELL", "TERM", "TMPDIR",
            "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR",
        ]
        let pairs = names.compactMap { name in session.environment(name).map { (name, $0) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private func working<Result>(_ body: () throws(SystemError) -> Result) throws(CommandFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw CommandFailure(path, error) }
    }
}

extension FileID {
    fileprivate var text: String { bytes.map { String($0, radix: 16) }.joined() }
}

extension Refusal {
    fileprivate static let otherRecipients = Refusal(
        .param, .contradiction, "recovery", "The file has other recovery recipients than -R names.",
        do: "Give all of them with -R, or take them away first: security file recovery.")
    fileprivate static let strangeShelf = Refusal(
        .itemNotFound, .noShelf, "file", "The shelf that wrapped the file's key is none of this command's.",
        do: "Change the file with the program that has made it.")
    fileprivate static func noMemory(_ error: SystemError) -> Refusal {
        Refusal(
            .io, .unavailable, "memory", "The content cannot be written to memory: \(error).",
            do: "Take the content apart with `security file cat`.")
    }
}
