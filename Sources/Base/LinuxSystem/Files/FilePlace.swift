import CLinux
import Glibc

/// The place of a file: a name in a folder that is held open.
///
/// Another user who may rename a folder on the way can put a link into its place. A file that is read and written by
/// its path would then be read here and written there. A place stays in the folder that was found first.
package struct FilePlace: Sendable {
    /// The path of the place, without symbolic links to its folder, as it was when it was found.
    package let path: String
    /// The same place, by the descriptor of the folder.
    let held: String
    private let folder: FileDescriptor

    /// Finds a place; there need not be a file. A link of this name is not followed.
    ///
    /// - Throws: `SystemError` of `open` for the folder; `EILSEQ` for one whose path is not UTF-8.
    package init(_ path: String) throws(SystemError) {
        let parent = PrivateDirectory.parent(of: path) ?? "."
        let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        folder = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder(parent) })
        let own = "/proc/self/fd/\(folder.number)"
        let real = try SymbolicLink.read(own)
        self.path = (real == "/" ? "" : real) + "/" + (name ?? "")
        held = own + "/" + (name ?? "")
    }

    /// Finds the place of a file itself, behind symbolic links.
    ///
    /// - Throws: `SystemError` of `realpath`; as ``init(_:)``.
    package init(ofFileAt path: String) throws(SystemError) {
        guard let real = SymbolicLink.resolve(path) else { throw SystemError(code: errno, call: "open") }
        try self.init(real)
    }

    /// Opens the file at the place; a link is refused.
    ///
    /// - Throws: `SystemError` of `open`: `ELOOP` for a link.
    package func open(_ flags: CInt) throws(SystemError) -> FileDescriptor {
        try .open(held, flags | O_NOFOLLOW)
    }

    /// The status of the folder.
    ///
    /// - Throws: `SystemError` of `fstat`.
    package func folderStatus() throws(SystemError) -> FileStatus { try FileStatus(of: folder) }

    /// Whether this is the file at the place.
    ///
    /// - Throws: `SystemError` of `lstat`, when it cannot be known.
    package func has(_ file: FileStatus) throws(SystemError) -> Bool {
        try FileStatus(ofLink: held)?.isSameFile(as: file) ?? false
    }
}
