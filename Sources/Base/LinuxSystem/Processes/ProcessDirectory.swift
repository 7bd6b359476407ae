import Glibc

/// Reads the kernel's files about processes (proc(5)).
enum ProcessDirectory {
    /// Reads a whole file of `/proc`, whose size is known only after reading it.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EFBIG` when there are more than `limit` bytes.
    static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        let file = try FileDescriptor.open(path, O_RDONLY)
        var (bytes, room) = ([UInt8](), [UInt8](repeating: 0, count: min(limit + 1, 16 << 10)))
        while true {
            var span = room.mutableSpan
            let count = try file.readFully(into: &span)
            bytes += room.prefix(count)
            guard bytes.count <= limit else { throw SystemError(code: EFBIG, call: "read") }
            if count < room.count { return bytes }
        }
    }

    /// The start time of a process, in clock ticks since the boot. Together with the number it identifies one process.
    ///
    /// - Throws: `SystemError`: `ENOENT` or `ESRCH` when there is no such process, `EINVAL` when the file is not as
    ///   expected.
    static func startTime(of process: Int32) throws(SystemError) -> UInt64 { try statistic(22, of: process) }

    /// The device number of the terminal that controls a process; 0 for none.
    ///
    /// - Throws: as ``startTime(of:)``.
    static func controllingTerminal(of process: Int32) throws(SystemError) -> UInt64 {
        // The kernel writes it as a signed number.
        UInt64(UInt32(truncatingIfNeeded: Int64(bitPattern: try statistic(7, of: process, isSigned: true))))
    }

    /// The process that leads the session of a process.
    ///
    /// - Throws: as ``startTime(of:)``.
    static func sessionLeader(of process: Int32) throws(SystemError) -> Int32 {
        Int32(truncatingIfNeeded: try statistic(6, of: process))
    }

    private static func statistic(
        _ number: Int, of process: Int32, isSigned: Bool = false
    ) throws(SystemError) -> UInt64 {
        let line = try read("/proc/\(process)/stat", limit: 4096)
        // The second field is the program's name in parentheses, and may itself contain spaces and parentheses.
        guard let name = line.lastIndex(of: UInt8(ascii: ")")) else {
            throw SystemError(code: EINVAL, call: "proc_pid_stat")
        }
        let fields = line[name...].split(separator: UInt8(ascii: " "))
        guard fields.count > number - 2 else { throw SystemError(code: EINVAL, call: "proc_pid_stat") }
        let text = String(decoding: fields[number - 2], as: UTF8.self)
        guard let value = isSigned ? Int64(text).map(UInt64.init(bitPattern:)) : UInt64(text) else {
            throw SystemError(code: EINVAL, call: "proc_pid_stat")
        }
        return value
    }
}
