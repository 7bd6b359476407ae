import CommandOptions
import FileAccess
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands

/// `file shelves` and `delete-shelf`.
enum Shelves {
    static func list(_ task: FileTask) throws(CommandFailure) {
        let keychain = try task.keychain()
        let shelves = try task.working(on: FileTask.call) { () throws(Refusal) in try keychain.shelves() }
        for shelf in shelves {
            let place = shelf.place
            guard !task.session.writesJSON else {
                task.session.output.write(
                    .object([
                        ("shelf", .string(shelf.id.text)), ("class", .string(place.protection.letter)),
                        ("thisDevice", .boolean(place.binding.accessibility.isThisDeviceOnly)),
                        ("group", .string(place.binding.group)), ("name", .string(place.name)),
                    ]))
                continue
            }
            let name = place.name.isEmpty ? "" : " \(place.name)"
            let line = "\(shelf.id.text) \(place.protection.letter) \(place.binding.group)\(name)"
            // Another machine may have named it.
            task.session.output.write("\(line.printable)\n")
        }
    }

    static func delete(_ task: FileTask) throws(CommandFailure) {
        guard let shelf = ShelfID(text: task.operands[0]) else { throw .usage("a shelf's id has 32 digits") }
        let keychain = try task.keychain()
        func delete(everywhere: Bool) throws(CommandFailure) {
            try task.working(on: FileTask.call) { () throws(Refusal) in
                try keychain.delete(shelf, everywhere: everywhere)
            }
        }
        let isMeant = task.arguments.has("f")
        do throws(CommandFailure) { try delete(everywhere: isMeant) } catch {
            guard try task.session.losesFiles(error, asking: "Delete the shelf on all machines?") else { throw error }
            try delete(everywhere: true)
        }
        task.session.complain("the daemon's snapshots may have the shelf until \(Self.lastDay)")
        task.session.complain("backups and other machines may have the shelf until they lose it, too")
    }

    /// The day by which a running daemon has replaced today's snapshots: it keeps seven, and makes one a week at least.
    private static var lastDay: String {
        let day = CalendarDate(secondsSinceReferenceDate: Clock.secondsSinceReferenceDate + 49 * 86_400)
        return String(day.iso8601.prefix(10))
    }
}
