import Glibc

/// The identifier of the current boot, read again each time, because a process can be restored after a restart
/// (checkpoint and restore). The file stays open, so that it can be read where no file can be opened.
package final class BootIdentifier: Sendable {
    private let file: FileDescriptor?
    private let reading = Lock(())

    package init() { file = try? FileDescriptor.open("/proc/sys/kernel/random/boot_id", O_RDONLY) }

    /// 36 characters; nil where `/proc` is not mounted.
    package var current: String? {
        guard let file else { return nil }
        var bytes = [UInt8](repeating: 0, count: 36)
        let count = reading.withLock { _ -> Int in
            guard lseek(file.number, 0, SEEK_SET) == 0 else { return 0 }
            var span = bytes.mutableSpan
            return (try? file.readFully(into: &span)) ?? 0
        }
        return count == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }
}
