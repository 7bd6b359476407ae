import Glibc
import LinuxSystem

/// The file that SQLite puts commits into, made long before it is needed.
///
/// A commit that makes its file longer waits for the file system's own journal besides the disk; one that writes over blocks
/// the file already has waits for the disk alone, which takes half the time. What is made longer here are zeros: to SQLite, in
/// use and in recovery, the log ends before them.
///
/// Only the owner of a store has one: nobody else is adding to it. Belongs to the connection that writes.
final class WriteAheadLog {
    /// How long the log is made: what some hundred adds fill, after which the store is tidied up and the log begins anew.
    static let room = 4 << 20
    /// How long it becomes where so much is written that it fills again and again: a page that changed many times meanwhile is
    /// moved into the database once.
    static let mostRoom = 16 << 20

    /// How many pages have room in it, each with 24 bytes of SQLite's.
    private(set) var pages = pages(in: room)
    private let path: String
    private var nextRoom = 2 * room

    /// The log of the database at `path`, which gets its room.
    init(besides path: String) {
        self.path = "\(path)-wal"
        _ = makeRoom(Self.room)
    }

    /// Doubles the room of a log that has been full.
    func lengthen() {
        guard nextRoom <= Self.mostRoom else { return }
        // Where there is no space for it now, it is not tried again.
        guard makeRoom(nextRoom) else { return nextRoom = .max }
        (pages, nextRoom) = (Self.pages(in: nextRoom), 2 * nextRoom)
    }

    /// It is a help and no condition: where there is no space, the log stays as it was.
    private func makeRoom(_ room: Int) -> Bool {
        guard let file = try? FileDescriptor.open(path, O_WRONLY | O_CREAT | O_APPEND),
            let size = try? FileStatus(of: file).size
        else { return false }
        do throws(SystemError) { try Self.fill(file, from: size, to: room) } catch {
            ftruncate(file.number, off_t(size))
            return false
        }
        return true
    }

    private static func fill(_ file: FileDescriptor, from size: Int, to room: Int) throws(SystemError) {
        guard size < room else { return }
        let zeros = [UInt8](repeating: 0, count: 256 << 10)
        var end = size
        while end < room {
            let count = min(zeros.count, room - end)
            try file.writeFully(zeros.span.extracting(..<count))
            end += count
        }
        guard fdatasync(file.number) == 0 else { throw SystemError(code: errno, call: "fdatasync") }
    }

    private static func pages(in room: Int) -> Int { room / (4096 + 24) }
}
