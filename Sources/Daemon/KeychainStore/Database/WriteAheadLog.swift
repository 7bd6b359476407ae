import Glibc
import LinuxSystem

/// The file that SQLite puts commits into, made long before it is needed.
///
/// A commit that makes its file longer waits for the file system's own journal besides the disk; one that writes over blocks
/// the file already has waits for the disk alone, which takes half the time. What is made longer here are zeros: to SQLite, in
/// use and in recovery, the log ends before them.
enum WriteAheadLog {
    /// How long the log is made: what some hundred adds fill, after which the store is tidied up and the log begins anew.
    static let room = 4 << 20
    /// The pages that have room in it, each with 24 bytes of SQLite's.
    static let pages = room / (4096 + 24)

    /// Makes the log of the database at `path` as long as ``room``. Only its owner may: nobody else is adding to it.
    ///
    /// It is a help and no condition: where there is no space, the log stays as it was.
    static func makeRoom(besides path: String) {
        guard let file = try? FileDescriptor.open("\(path)-wal", O_WRONLY | O_CREAT | O_APPEND),
            let size = try? FileStatus(of: file).size, size < room
        else { return }
        do throws(SystemError) { try lengthen(file, from: size) } catch { ftruncate(file.number, off_t(size)) }
    }

    private static func lengthen(_ file: FileDescriptor, from size: Int) throws(SystemError) {
        let zeros = [UInt8](repeating: 0, count: 256 << 10)
        var end = size
        while end < room {
            let count = min(zeros.count, room - end)
            try file.writeFully(zeros.span.extracting(..<count))
            end += count
        }
        guard fdatasync(file.number) == 0 else { throw SystemError(code: errno, call: "fdatasync") }
    }
}
