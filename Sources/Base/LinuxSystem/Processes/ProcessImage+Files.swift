import Glibc

extension ProcessImage {
    /// A file that is mapped as executable.
    package struct ExecutableMapping: Hashable, Sendable {
        /// The name of the file in the process's view.
        package let path: String
        package let inode: UInt64
        /// Whether it has been removed or replaced since.
        package let isDeleted: Bool
    }

    /// Room for the libraries and plug-ins of the largest programs.
    private static let longestList = 16 << 20
    private static let deleted = " (deleted)"

    /// All files with executable code, each once.
    ///
    /// - Throws: `SystemError` of `read`; `EFBIG` for more mappings than any program has; `EINVAL` when the list is not
    ///   as expected.
    package func executableMappings() throws(SystemError) -> Set<ExecutableMapping> {
        var found: Set<ExecutableMapping> = []
        for line in try list().split(separator: "\n") {
            // The fields are address, permissions, offset, device, inode and name. Only the name may contain blanks.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count >= 5, let inode = UInt64(fields[4]) else {
                throw SystemError(code: EINVAL, call: "proc_pid_maps")
            }
            guard fields[1].contains("x"), fields.count == 6 else { continue }
            let name = fields[5].drop { $0 == " " }
            // A mapping without a file name is the process's own memory, or the kernel's.
            guard name.hasPrefix("/") else { continue }
            let isDeleted = name.hasSuffix(Self.deleted)
            let path = isDeleted ? String(name.dropLast(Self.deleted.count)) : String(name)
            found.insert(ExecutableMapping(path: path, inode: inode, isDeleted: isDeleted))
        }
        return found
    }

    private func list() throws(SystemError) -> String {
        var bytes: [UInt8] = []
        while bytes.count <= Self.longestList {
            let part = try maps.read(at: UInt64(bytes.count), count: 64 << 10)
            if part.isEmpty { return String(decoding: bytes, as: UTF8.self) }
            bytes += part
        }
        throw SystemError(code: EFBIG, call: "read")
    }
}
