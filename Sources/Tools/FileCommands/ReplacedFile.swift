import Glibc
import LinuxSystem

/// A file that gets other content: complete or not at all. Links are followed.
///
/// The new file has the permissions of the old one. Where its owner cannot be kept, where it has other names,
/// an access list or attributes, or where it changes or is moved meanwhile, it is left alone.
struct ReplacedFile {
    /// The new file.
    var output: FileDescriptor { replacement.file }

    private let replacement: FileReplacement
    private let mode: UInt32
    private let old: (file: FileDescriptor, place: FilePlace, changed: Int64)?

    /// - Parameter original: the file whose content is converted, where it is the one that is replaced.
    /// - Throws: `SystemError`: `EMLINK` for a file with several names, `EINVAL` for what is no file.
    init(_ path: String, keeping original: FileDescriptor?) throws(SystemError) {
        guard let original else {
            (replacement, mode, old) = (try FileReplacement(in: FilePlace(path)), 0o600, nil)
            return
        }
        let status = try FileStatus(of: original)
        guard status.isRegularFile else {
            throw SystemError(code: EINVAL, call: "open", advice: "it is not a regular file: give -o")
        }
        guard status.links == 1 else {
            throw SystemError(code: EMLINK, call: "rename", advice: "other names would keep the old content")
        }
        // An access list would be lost, and with it what the permissions mean.
        guard !Self.hasAttributes(original) else {
            throw SystemError(code: ENOTSUP, call: "rename", advice: "it has an access list or attributes: give -o")
        }
        let place = try FilePlace(ofFileAt: path)
        guard try place.has(status) else { throw Self.changed }
        (replacement, mode) = (try FileReplacement(in: place), status.mode & 0o777)
        old = (original, place, try FileStatus.changeTime(of: original))
        // The permissions of the old file would open the new one to those in the folder's list.
        guard !Self.hasAttributes(replacement.file) else {
            throw SystemError(code: ENOTSUP, call: "rename", advice: "its folder gives new files a list: give -o")
        }
        let made = try FileStatus(of: replacement.file)
        if made.owner != status.owner || made.group != status.group {
            try replacement.setOwner(status.owner, group: status.group)
        }
    }

    /// Puts the new file in place; when this returns, it survives a power cut.
    ///
    /// - Throws: `SystemError` of the step that failed; `ESTALE` when the old one has changed meanwhile.
    func commit() throws(SystemError) {
        if let old {
            let isThere = try old.place.has(try FileStatus(of: old.file))
            guard isThere, try FileStatus.changeTime(of: old.file) == old.changed else { throw Self.changed }
        }
        try replacement.commit(mode: mode)
    }

    private static var changed: SystemError {
        SystemError(code: ESTALE, call: "rename", advice: "it was changed meanwhile: try again")
    }
}

/// The names of a file's extended attributes, each with a zero behind it (flistxattr(2)). The toolchain's Glibc lacks
/// the function.
@_silgen_name("flistxattr")
private func flistxattr(_ file: CInt, _ names: UnsafeMutablePointer<CChar>?, _ size: Int) -> Int

extension ReplacedFile {
    /// The room for all names that Linux allows.
    private static let mostNames = 1 << 16
    /// Every new file gets its label by the policy of the folder.
    private static let label = Array("security.selinux".utf8)

    /// Whether it has attributes that a new file would not have.
    private static func hasAttributes(_ file: FileDescriptor) -> Bool {
        var names = [CChar](repeating: 0, count: mostNames)
        let count = unsafe names.withUnsafeMutableBufferPointer { names in
            unsafe flistxattr(file.number, names.baseAddress, names.count)
        }
        // A file system that has none fails.
        guard count > 0 else { return count < 0 && errno != ENOTSUP }
        return names[..<count].split(separator: 0).contains { $0.map(UInt8.init(bitPattern:)) != label }
    }
}
