import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// A backup as it lies on the disk: its header, and where its boxes are. It is read without a key; whether it is as it
/// was written is for the daemon to say.
struct BackupFile {
    let path: String
    let header: [UInt8]
    let parts: [Box]
    let manifest: [UInt8]
    private let file: FileDescriptor

    /// Where a box lies.
    struct Box {
        let offset: UInt64
        let length: Int
    }

    init(_ path: String, _ call: String) throws(CommandFailure) {
        self.path = path
        do throws(SystemError) {
            file = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard try FileStatus(of: file).isRegularFile else {
                throw SystemError(code: EINVAL, call: "open", advice: "\(path) is not a regular file")
            }
        } catch { throw Self.unreadable(path, error) }
        let start = try Self.read(file, 0, BackupFraming.headerStart, path)
        let length: Int?
        do throws(Refusal) { length = try BackupFraming.headerLength(start) } catch {
            throw .refused(call: call, error)
        }
        guard let length else { throw .refused(call: call, .noBackup(path)) }
        header = try Self.read(file, 0, length, path)
        let boxes = try Self.boxes(of: file, from: UInt64(length), path, call)
        parts = boxes.parts
        manifest = try Self.read(file, boxes.manifest.offset, boxes.manifest.length, path)
    }

    /// The box of a part.
    func box(_ index: Int) throws(CommandFailure) -> [UInt8] {
        try Self.read(file, parts[index].offset, parts[index].length, path)
    }

    private static func boxes(
        of file: FileDescriptor, from start: UInt64, _ path: String, _ call: String
    ) throws(CommandFailure) -> (parts: [Box], manifest: Box) {
        var (parts, offset): ([Box], UInt64) = ([], start)
        while parts.count <= BackupFraming.mostParts {
            let head = try read(file, offset, BackupFraming.frameHead, path)
            guard let frame = BackupFraming.frame(head) else { throw .refused(call: call, .cutBackup(path)) }
            let box = Box(offset: offset + UInt64(head.count), length: frame.length)
            offset = box.offset + UInt64(box.length)
            guard frame.kind == .manifest else {
                parts.append(box)
                continue
            }
            guard try read(file, offset, 1, path).isEmpty else { throw .refused(call: call, .cutBackup(path)) }
            return (parts, box)
        }
        throw .refused(call: call, .cutBackup(path))
    }

    private static func read(
        _ file: FileDescriptor, _ offset: UInt64, _ count: Int, _ path: String
    ) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) { return try file.read(at: offset, count: count) } catch {
            throw unreadable(path, error)
        }
    }

    private static func unreadable(_ path: String, _ error: SystemError) -> CommandFailure {
        .failed("the backup cannot be read", cause: "\(path): \(error).", remedy: "Name a file that you may read.")
    }
}

extension Refusal {
    fileprivate static func noBackup(_ path: String) -> Refusal {
        Refusal(
            .decode, .damagedBackup, "backup", "\(path) is no backup of a keychain.",
            do: "Name a file that `security backup` has made.")
    }

    static func cutBackup(_ path: String) -> Refusal {
        Refusal(
            .decode, .damagedBackup, "backup",
            "\(path) is damaged: it was cut, or something was put into it or behind it.",
            do: "Use another copy of the file, or an older backup; nothing of this one was taken.")
    }
}
