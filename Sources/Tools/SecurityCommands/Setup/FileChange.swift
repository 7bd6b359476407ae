import Glibc
import LinuxSystem

/// A file as it is and as it is to be; a missing file has no text.
struct FileChange {
    let path: String
    let before: String?
    let after: String?
    /// The permissions of a file that is not there yet.
    var mode: UInt32 = 0o644
    /// A file that only this command reads: not shown to anybody.
    var isRecord = false
    /// The folder below which folders go with the last file in them; nil where all stay.
    var root: String?

    var isNeeded: Bool { before != after }

    private static let largest = 1 << 20

    /// A file as it is.
    ///
    /// - Throws: ``CommandFailure`` for one that cannot be read or is not UTF-8.
    static func read(_ path: String) throws(CommandFailure) -> String? {
        // A file would take the place of the link, and an undo would remove it.
        if let target = try? SymbolicLink.read(path), (try? FileStatus(at: path)) ?? nil == nil {
            throw .failed(
                "\(path) is a link to \(target), which is not there", remedy: "Remove the link, or make that file.")
        }
        let bytes: [UInt8]
        do throws(SystemError) {
            guard try FileStatus(at: path) != nil else { return nil }
            bytes = try AtomicFile.read(path, limit: largest)
        } catch { throw .failed("\(path) cannot be read: \(error)", remedy: "Look at its owner and permissions.") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .failed("\(path) is not UTF-8", remedy: "Edit it by hand.")
        }
        return text
    }

    /// Makes all changes, or none: after a failure those that were made are taken back.
    ///
    /// - Throws: ``CommandFailure``, which also says what could not be taken back.
    static func apply(_ changes: [FileChange]) throws(CommandFailure) {
        var made: [FileChange] = []
        do throws(CommandFailure) {
            for change in changes {
                try change.apply()
                made.append(change)
            }
        } catch {
            throw error.leaving(made.reversed().compactMap(\.reversed.failure))
        }
    }

    /// Why the change cannot be made; nil when it is.
    private var failure: String? {
        do throws(CommandFailure) {
            try apply()
            return nil
        } catch { return error.message }
    }

    private var reversed: FileChange {
        FileChange(path: path, before: after, after: before, mode: mode, isRecord: isRecord, root: root)
    }

    /// Makes the file what it is to be; where it is a symbolic link, as people have who keep such files elsewhere, what
    /// it leads to.
    ///
    /// - Throws: ``CommandFailure``; the file is then as it was.
    func apply() throws(CommandFailure) {
        do throws(SystemError) {
            let target = SymbolicLink.resolve(path) ?? path
            guard let after else {
                try AtomicFile.remove(target)
                return removeEmptyFolders()
            }
            if let folder = PrivateDirectory.parent(of: target), try FileStatus(at: folder) == nil {
                try PrivateDirectory.ensure(folder)
            }
            let mode = try FileStatus(at: target).map { $0.mode & 0o777 } ?? mode
            try AtomicFile.replace(target, with: Array(after.utf8).span, mode: mode)
        } catch { throw .failed("\(path) cannot be changed: \(error)", remedy: "Look at its owner and permissions.") }
    }

    /// One that is not empty stays, and all above it.
    private func removeEmptyFolders() {
        guard let root else { return }
        var folder = PrivateDirectory.parent(of: path)
        while let name = folder, name.hasPrefix(root + "/"), unsafe rmdir(name) == 0 {
            folder = PrivateDirectory.parent(of: name)
        }
    }
}

extension CommandFailure {
    /// The same failure, where changes before it stay that should have been taken back.
    fileprivate func leaving(_ failures: [String]) -> CommandFailure {
        guard !failures.isEmpty, case .failed(let problem, _, let remedy) = self else { return self }
        return .failed(
            problem, cause: "What was changed before it stays in part: \(failures.joined(separator: "; ")).",
            remedy: "\(remedy) Then run it again, or take it back with `security setup --undo`.")
    }
}
