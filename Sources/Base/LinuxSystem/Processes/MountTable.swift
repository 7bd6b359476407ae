import CLinux
import Glibc

/// The file systems that this process and the machine's first one see, and who decides about their content.
package final class MountTable: Sendable {
    /// Who answers when a file is read.
    package enum Server: Sendable {
        /// The kernel, from a disk, from memory or from another machine, as root has set it up.
        case system
        /// A process of a user's (FUSE), who may say something else every time.
        case user
    }

    private struct State {
        var servers: [UInt64: Server] = [:]
        /// Changes with every change of the table.
        var generation: UInt64 = 0
    }

    /// They become ready whenever the table has changed since the last look.
    private let files: [FileDescriptor]
    private let state = Lock(State())
    /// The first process shows what a daemon that hides folders from itself does not see; not every daemon may look.
    private static let paths = ["/proc/self/mountinfo", "/proc/1/mountinfo"]

    package init() {
        files = Self.paths.compactMap { try? FileDescriptor.open($0, O_RDONLY) }
        readAgain()
    }

    /// A number that stays the same as long as no file system comes or goes. As long as it does, the number of a device
    /// means the same file system.
    package var generation: UInt64 {
        if hasChanged { readAgain() }
        return state.withLock { $0.generation }
    }

    /// Who serves the files of a device (``FileStatus/device``); nil for one that is not mounted where either sees it.
    package func server(of device: UInt64) -> Server? {
        if hasChanged { readAgain() }
        return state.withLock { $0.servers[device] }
    }

    private var hasChanged: Bool {
        var hasChanged = files.isEmpty
        // Each is asked, because asking is what resets it.
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
            // One file system may be mounted in several places; it is a user's wherever it is.
            if isFUSE, !options.contains("user_id=0") {
                servers[device] = .user
            } else if servers[device] == nil {
                servers[device] = .system
            }
        }
        return servers
    }

    /// The kind of the file system on a device, as this process's table names it; nil when it is not there.
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

    private static func device(_ text: Substring) -> UInt64? {
        let numbers = text.split(separator: ":").compactMap { UInt32($0) }
        return numbers.count == 2 ? clinux_device(numbers[0], numbers[1]) : nil
    }
}
