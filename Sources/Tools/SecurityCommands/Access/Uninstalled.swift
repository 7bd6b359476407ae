import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `uninstalled`: what the scripts of packages call when they have removed programs.
enum Uninstalled {
    static let command = Command(
        "uninstalled", "Tell the keychain that programs were removed; for package scripts.",
        synopsis: "[--all-users [--stores folder]] program ...",
        options: [
            CommandOption("A", word: "all-users", "As root: tell every keychain that the system service has."),
            CommandOption("d", word: "stores", value: "folder", "Where those lie; \(KeychainOwner.stores)."),
        ],
        notes: [
            """
            Programs are given by their paths. The items of a group go when its policy says purge and all of its \
            programs are gone; nothing else is deleted, whatever is said.
            """
        ],
        operands: 1...AccessRequest.mostPrograms
    ) { arguments, session throws(CommandFailure) in
        let programs = arguments.operands.map(\.text)
        let folder = arguments.value("d")?.text
        guard arguments.has("A") else {
            if folder != nil { throw .usage("--stores goes with --all-users") }
            return showCount(try tell(programs, session), session)
        }
        let (count, untold) = try tellAll(programs, in: folder ?? KeychainOwner.stores, session)
        showCount(count, session)
        if !untold.isEmpty {
            throw .failed(
                "not told: \(untold.joined(separator: ", "))", remedy: "See the lines before, then do it once more.")
        }
    }

    /// Tells one keychain.
    ///
    /// - Returns: how many items it deleted.
    private static func tell(_ programs: [String], _ session: Session) throws(CommandFailure) -> UInt64 {
        guard case .purged(let count) = try session.access(.uninstalled(programs), "uninstalled") else {
            throw .refused(call: "uninstalled", .malformed("the answer"))
        }
        return count
    }

    /// Tells each in turn; one that cannot be told keeps no other from it.
    private static func tellAll(
        _ programs: [String], in folder: String, _ session: Session
    ) throws(CommandFailure) -> (count: UInt64, untold: [String]) {
        var (count, untold): (UInt64, [String]) = (0, [])
        for owner in try owners(in: folder) {
            do throws(CommandFailure) {
                try session.turn(to: owner, "uninstalled")
                count += try tell(programs, session)
            } catch {
                session.report(error)
                untold.append(owner.description)
            }
        }
        return (count, untold)
    }

    private static func owners(in folder: String) throws(CommandFailure) -> [KeychainOwner] {
        do throws(SystemError) { return try FolderEntries.names(in: folder).compactMap(KeychainOwner.init) } catch {
            throw .failed("\(folder) cannot be read: \(error)", remedy: "It takes root and the system service.")
        }
    }

    private static func showCount(_ count: UInt64, _ session: Session) {
        if session.writesJSON { return session.output.write(.object([("deleted", .number(Int64(clamping: count)))])) }
        session.output.write("deleted: \(count)\n")
    }
}
