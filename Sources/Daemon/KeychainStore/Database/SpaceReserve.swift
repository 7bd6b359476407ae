import Glibc
import LinuxSystem

/// Space on the disk that is kept for deleting: a full keychain must be able to become less full.
///
/// A file of zeros in the store's folder. It is made after an item was written, and given back to the file system when
/// a deletion finds no space. Where there is no space for it, or the file system cannot promise any, there is no
/// reserve. Belongs to one connection that writes.
final class SpaceReserve {
    /// Enough for the log of a deletion that touches some hundred pages: bytes.
    static let size = 1 << 20

    private let path: String
    private var isKept = false

    init(besides path: String) { self.path = Self.path(besides: path) }

    private static func path(besides path: String) -> String { "\(path)-reserve" }

    /// Gives the space back before the store is open.
    ///
    /// - Returns: whether there was any.
    static func take(besides path: String) -> Bool { unsafe unlink(self.path(besides: path)) == 0 }

    /// Makes the reserve unless it is there.
    func keep() {
        guard !isKept else { return }
        isKept = true
        do throws(SystemError) {
            if let found = try FileStatus(ofLink: path) {
                if Self.isReserve(found) { return }
                unsafe unlink(path)
            }
            let file = try FileDescriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode: 0o600)
            guard posix_fallocate(file.number, 0, off_t(Self.size)) == 0 else { return give() }
        } catch {
            // It is a help and no condition.
            give()
        }
    }

    /// Whether deleting the file gives its space back: another name would keep it.
    private static func isReserve(_ file: FileStatus) -> Bool {
        file.isRegularFile && file.links == 1 && file.size == size
    }

    /// Gives the space back; the next write makes the reserve again.
    func give() {
        unsafe unlink(path)
        isKept = false
    }
}
