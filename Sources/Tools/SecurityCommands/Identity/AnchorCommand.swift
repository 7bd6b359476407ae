import CommandOptions
import KeychainModel
import LinuxSystem

/// `anchor`: marks programs that root has installed, so that the kernel keeps other programs of the user out of them.
enum AnchorCommand {
    static let command = Command(
        "anchor", "Let the kernel keep other programs of the user out of a program.",
        synopsis: "[-cf] [-g group] program... | -r [-g group] program... | -l [-g group] [folder...]",
        options: [
            CommandOption("c", word: "create-group", "Make the marker group first, if it is not there."),
            CommandOption("f", word: "force", "Also anchor a program that seems to start others."),
            CommandOption("g", word: "group", value: "group", "The marker group: a name or a number."),
            CommandOption(
                "l", word: "list", "List the anchored programs in the folders, or where programs usually are."),
            CommandOption("r", word: "remove", "Take the mark away again."),
        ],
        notes: [
            """
            Root is needed. An anchored program belongs to root and sets the marker group when it is executed; the \
            kernel then refuses LD_PRELOAD and tracing to the user's other programs. See docs/security/identity.md.
            """
        ],
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        let paths = arguments.operands.map(\.text)
        let name = arguments.value("g")?.text ?? AnchorGroup.name
        if arguments.has("l") { return try list(paths, name, session) }
        guard !paths.isEmpty else { throw .usage(nil) }
        guard CurrentProcess.user == 0 else { throw .needsRoot }
        let group = try find(name, creating: arguments.has("c"))
        for path in paths {
            let anchor = Anchor(group: group, mayStartOthers: arguments.has("f"))
            do throws(Anchor.Objection) {
                if arguments.has("r") { try anchor.remove(from: path) } else { try anchor.put(on: path) }
            } catch { throw .failed("\(path) is not changed: \(error.problem)", remedy: error.remedy) }
        }
    }

    private static func list(_ folders: [String], _ name: String, _ session: Session) throws(CommandFailure) {
        let group: UInt32?
        do throws(SystemError) { group = try AnchorGroup.find(name) } catch {
            throw CommandFailure("/etc/group", error)
        }
        let programs =
            group.map { Anchor.programs(in: folders.isEmpty ? Anchor.usualFolders : folders, group: $0) } ?? []
        if session.writesJSON { return session.output.write(.array(programs.map { .string($0) })) }
        for program in programs { session.output.write("\(program.printable)\n") }
    }

    private static func find(_ name: String, creating: Bool) throws(CommandFailure) -> UInt32 {
        do throws(SystemError) {
            if let group = try AnchorGroup.find(name) {
                let members = try AnchorGroup.members(of: name)
                guard members.isEmpty else { throw SystemError.members(name, members) }
                return group
            }
            guard creating else { throw SystemError.noGroup(name) }
            let program = try ChildProcess.start("/usr/sbin/groupadd", ["--system", name], handing: [])
            guard program.reap(timeout: 20_000) == 0, let group = try AnchorGroup.find(name) else {
                throw SystemError.noGroup(name)
            }
            return group
        } catch { throw CommandFailure("the group \(name)", error) }
    }
}

extension SystemError {
    fileprivate static func noGroup(_ name: String) -> SystemError {
        SystemError(
            code: 2, call: "group", advice: "make it with --create-group, or as root: groupadd --system \(name)")
    }

    fileprivate static func members(_ name: String, _ members: [String]) -> SystemError {
        SystemError(
            code: 1, call: "group",
            advice:
                "\(members.joined(separator: ", ")) must not be in it: who has the group already is not anchored by it")
    }
}

extension CommandFailure {
    fileprivate static let needsRoot = failed(
        "only root can anchor programs", remedy: "Use sudo: users could otherwise undo the mark that keeps them out.")
}
