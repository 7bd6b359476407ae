import Glibc
package import LinuxSystem

/// A file that gets other content: complete or not at all. Links are followed.
///
/// The new file has the owner, the permissions and the attributes of the old one: access list, label, and those of
/// users. An attribute that cannot be carried over is named, and the old file is left alone; so is one that is moved
/// meanwhile, and one that another user may have put into its folder to own the content.
package struct ReplacedFile {
    /// The new file.
    package var output: FileDescriptor { replacement.file }

    private let replacement: FileReplacement
    private let mode: UInt32
    private let old: (file: FileDescriptor, place: FilePlace)?
    /// The change time of a file that is converted.
    private let changed: Int64?

    /// A file whose content is not that of another one. Where the path has a file, its owner and permissions stay.
    ///
    /// - Throws: `SystemError` of the step that failed.
    package init(writing path: String) throws(SystemError) {
        guard let status = try FileStatus(at: path) else {
            self.init(try FileReplacement(in: FilePlace(path)))
            return
        }
        try Self.checkRegular(status)
        let old = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
        try self.init(old, try FileStatus(of: old), path, changed: nil)
    }

    /// A file whose content takes another form.
    ///
    /// - Parameter original: the open file.
    /// - Throws: `SystemError`: `EMLINK` for a file with several names, `EINVAL` for something that is no file.
    package init(converting original: FileDescriptor, at path: String) throws(SystemError) {
        let status = try FileStatus(of: original)
        guard status.links == 1 else {
            throw SystemError(code: EMLINK, call: "rename", advice: "other names would keep the old content")
        }
        try self.init(original, status, path, changed: try FileStatus.changeTime(of: original))
    }

    /// A new one.
    private init(_ replacement: FileReplacement) {
        (self.replacement, mode, old, changed) = (replacement, 0o600, nil, nil)
    }

    private init(
        _ old: FileDescriptor, _ status: FileStatus, _ path: String, changed: Int64?
    ) throws(SystemError) {
        try Self.checkRegular(status)
        let place = try FilePlace(ofFileAt: path)
        guard try place.has(status) else { throw Self.hasChanged }
        try Self.checkOwner(status, in: try place.folderStatus())
        (replacement, mode) = (try FileReplacement(in: place), status.mode & 0o777)
        (self.old, self.changed) = ((old, place), changed)
        let made = try FileStatus(of: replacement.file)
        if made.owner != status.owner || made.group != status.group {
            try replacement.setOwner(status.owner, group: status.group)
        }
        // Refused before anything is written.
        try Self.checkList(of: replacement.file, against: old)
        try Self.carryAttributes(from: old, to: replacement.file)
    }

    /// Puts the new file in place; when this returns, it survives a power cut.
    ///
    /// - Throws: `SystemError` of the step that failed; `ESTALE` when the old one has changed meanwhile.
    package func commit() throws(SystemError) {
        if let old {
            guard try old.place.has(try FileStatus(of: old.file)) else { throw Self.hasChanged }
            if let changed, try FileStatus.changeTime(of: old.file) != changed { throw Self.hasChanged }
            // Writing takes some attributes away.
            try Self.carryAttributes(from: old.file, to: replacement.file)
        }
        try replacement.commit(mode: mode)
    }
}

extension ReplacedFile {
    private static func checkRegular(_ status: FileStatus) throws(SystemError) {
        guard status.isRegularFile else {
            throw SystemError(code: EINVAL, call: "open", advice: "it is not a file that could be replaced")
        }
    }

    /// As the kernel does for files that are opened to be made (`fs.protected_regular`), here in every folder that
    /// several users may write.
    private static func checkOwner(_ status: FileStatus, in folder: FileStatus) throws(SystemError) {
        let isKnown = status.owner == CurrentProcess.user || status.owner == folder.owner
        guard isKnown || !folder.isWritableByOthers else {
            throw SystemError(
                code: EACCES, call: "open",
                advice: "it belongs to another user, in a folder that others may write: write to another path")
        }
    }

    private static var hasChanged: SystemError {
        SystemError(code: ESTALE, call: "rename", advice: "it was changed meanwhile: try again")
    }

    /// A folder may give each new file an access list. The permissions of an old file without one would then open the
    /// new file to those in the list.
    private static func checkList(of new: FileDescriptor, against old: FileDescriptor) throws(SystemError) {
        let list = FileAttributeName("system.posix_acl_access")
        let (given, kept) = (try new.attributeNames(), try old.attributeNames())
        guard !given.contains(list) || kept.contains(list) else {
            throw SystemError(code: ENOTSUP, call: "rename", advice: "its folder gives new files a list: give -o")
        }
    }

    /// Digests of the content, which the kernel makes again.
    private static let ofContent: Set = [FileAttributeName("security.ima"), FileAttributeName("security.evm")]

    private static func carryAttributes(
        from old: FileDescriptor, to new: FileDescriptor
    ) throws(SystemError) {
        for name in try old.attributeNames() where !ofContent.contains(name) {
            guard let value = try old.attribute(name), try new.attribute(name) != value else { continue }
            do throws(SystemError) { try new.setAttribute(name, to: value) } catch {
                throw SystemError(
                    code: error.code, call: error.call,
                    advice: "the attribute \(name) cannot be carried over: remove it, or write to another path")
            }
        }
    }
}
