import CLinux
import Glibc

/// The file systems in the view of this process and of process 1, and who controls their content.
package final class MountTable: Sendable {
    /// The server of a file system.
    package enum Server: Sendable {
        /// The kernel: a disk, memory or another machine, as root has set it up.
        case system
        /// A user's process (FUSE), whose answers may differ every time.
        case user
    }

    private struct State {
        var servers: [UInt64: Server] = [:]
        /// Increases with every change of the table.
        var generation: UInt64 = 0
    }

    /// Each becomes ready when its table has changed since the last check.
    private let files: [FileDescriptor]
    private let state = Lock(State())
    /// Process 1 shows folders that a sandboxed daemon does not see. Not every daemon may read its table.
    private static let paths = ["/proc/self/mountinfo", "/proc/1/mountinfo"]

    package init() {
        files = Self.paths.compactMap { try? FileDescriptor.open($0, O_RDONLY) }
        readAgain()
    }

    /// A number that changes with every mount and unmount. While it is the same, the number of a device means the same
    /// file system.
    package var generation: UInt64 {
        if hasChanged { readAgain() }
        return state.withLock { $0.generation }
    }

    /// The server of a device's files (``FileStatus/device``); nil for a device that neither process sees.
    package func server(of device: UInt64) -> Server? {
        if hasChanged { readAgain() }
        return state.withLock { $0.servers[device] }
    }

    private var hasChanged: Bool {
        var hasChanged = files.isEmpty
        // Every file is checked, because the check resets it.
        for file in files where Self.hasChanged(file) { hasChanged = true }
        return hasChanged
    }

    private static func hasChanged(_ file: FileDescriptor) -> Bool {
        do throws(SystemError) { try file.wait(for: [], deadline: .now) } catch { return false }
        return true
    }

    private func readAgain() {
        let tables = Self.paths.compactMap { try? ProcessDirectory.read($0, limit: 8 << 20) }
        let servers = tables.map { Self.servers(in: String(decoding: $0, as: UTF8.self)) }
            .reduce(into: [:]) { $0.merge($1) { $0 == .user ? $0 : $1 } }
        state.withLock { state in
            state.servers = servers
            state.generation &+= 1
        }
    }

    /// Reads `36 35 98:0 /root /place options [tags]... - type source options` (proc(5)), one a line.
    package static func servers(in text: String) -> [UInt64: Server] {
        var servers: [UInt64: Server] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, let mark = fields[6...].firstIndex(of: "-"), mark + 1 < fields.endIndex,
                let device = device(fields[2])
            else { continue }
            let options = fields.last?.split(separator: ",") ?? []
            let kind = fields[mark + 1]
            let isFUSE = kind == "fuse" || kind == "fuseblk" || kind.hasPrefix("fuse.")
            // One file system may be mounted in several places. If any of them is a user's, it counts as a user's.
            if isFUSE, !options.contains("user_id=0") {
                servers[device] = .user
            } else if servers[device] == nil {
                servers[device] = .system
            }
        }
        return servers
    }

    /// The type of the file system on a device, from this process's table; nil when it is not there.
    package static func kind(of wanted: UInt64) -> String? {
        guard let table = try? ProcessDirectory.read("/proc/self/mountinfo", limit: 8 << 20) else { return nil }
        for line in String(decoding: table, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, device(fields[2]) == wanted, let mark = fields[6...].firstIndex(of: "-"),
                mark + 1 < fields.endIndex
            else { continue }
            return String(fields[mark + 1])
        }
        return nil
    }

    /// The type of the file system on a device, as a process sees it; nil where it is not among the first hundreds of
    /// mounts. A process can make very many, and nobody is to wait until all are read.
    static func kind(of wanted: UInt64, seenBy process: Int32) -> String? {
        guard let file = try? FileDescriptor.open("/proc/\(process)/mountinfo", O_RDONLY) else { return nil }
        var bytes = [UInt8](repeating: 0, count: mostSeen)
        var span = bytes.mutableSpan
        guard let count = try? file.readFully(into: &span) else { return nil }
        for line in bytes.prefix(count).split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 6, device(Substring(decoding: fields[2], as: UTF8.self)) == wanted,
                let mark = fields[6...].firstIndex(of: [UInt8(ascii: "-")]), mark + 1 < fields.endIndex
            else { continue }
            return String(decoding: fields[mark + 1], as: UTF8.self)
        }
        return nil
    }

    /// So many bytes are read of a process's table: some thousand mounts.
    private static let mostSeen = 128 << 10

    private static func device(_ text: Substring) -> UInt64? {
        let numbers = text.split(separator: ":").compactMap { UInt32($0) }
        return numbers.count == 2 ? clinux_device(numbers[0], numbers[1]) : nil
    }
}
