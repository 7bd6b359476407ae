import Glibc

/// Reads folders.
package enum FolderEntries {
    /// The names in a folder, without `.` and `..`, sorted.
    ///
    /// - Throws: `SystemError` of `opendir`; `EOVERFLOW` where there are more than `most`.
    package static func names(in folder: String, atMost most: Int = .max) throws(SystemError) -> [String] {
        guard let directory = unsafe opendir(folder) else { throw SystemError(code: errno, call: "opendir") }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            guard names.count < most else {
                throw SystemError(code: EOVERFLOW, call: "readdir", advice: "a folder has more than \(most) files")
            }
            names.append(name)
        }
        return names.sorted()
    }
}

extension String {
    /// Whether both have the same bytes. The kernel compares names by them; for Swift an accent is the same whether it
    /// stands in one scalar with its letter or behind it.
    package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
