import Glibc

/// What is in a folder.
package enum Folder {
    /// The names in a folder, its own and its parent's (`.` and `..`) among them, in no order.
    ///
    /// - Throws: `SystemError` of `opendir`.
    package static func names(in folder: String) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw SystemError(code: errno, call: "opendir") }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}
