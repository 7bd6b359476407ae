import Glibc

extension ProcessImage {
    /// A file that is mapped so that it can be executed.
    package struct ExecutableMapping: Hashable, Sendable {
        /// By the name that the process sees it by.
        package let path: String
        package let inode: UInt64
        /// It has been removed or replaced since.
        package let isDeleted: Bool
    }

    /// Libraries and plug-ins of the largest programs fit in here.
    private static let longestList = 16 << 20
    private static let deleted = " (deleted)"

    /// All files of which code can be executed, each once.
    ///
    /// - Throws: `SystemError` of `read`; `EFBIG` for more mappings than any program has; `EINVAL` when the list is not
    ///   as expected.
    package func executableMappings() throws(SystemError) -> Set<ExecutableMapping> {
        var found: Set<ExecutableMapping> = []
        for line in try list().split(separator: "\n") {
            // Where, permissions, offset, device, inode, name: the name alone may have blanks in it.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count >= 5, let inode = UInt64(fields[4]) else {
                throw SystemError(code: EINVAL, call: "proc_pid_maps")
            }
            guard fields[1].contains("x"), fields.count == 6 else { continue }
            let name = fields[5].drop { $0 == " " }
            // What has no name of a file is the process's own memory, or the kernel's.
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
