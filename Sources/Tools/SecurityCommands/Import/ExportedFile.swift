import CommandOptions
import Glibc
import LinuxSystem

/// A file that another program has exported its passwords to.
enum ExportedFile {
    /// So many bytes it may have: some 50,000 logins of a table.
    private static let limit = 8 << 20

    /// The file's bytes. A file that others may change is nobody's word for a password.
    ///
    /// - Throws: a failure for a file that cannot be read, and for another user's.
    static func content(_ path: Argument, _ session: Session) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) {
            let (content, _, status) = try AtomicFile.readSecretAndPath(path.text, limit: limit)
            try check(status, path, session)
            return content
        } catch { throw unreadable(path, error) }
    }

    /// The file, to be read by another program.
    ///
    /// - Throws: as ``content(_:_:)``.
    static func opened(_ path: Argument, _ session: Session) throws(CommandFailure) -> FileDescriptor {
        do throws(SystemError) {
            let file = try FileDescriptor.open(path.text, O_RDONLY | O_NONBLOCK)
            let status = try FileStatus(of: file)
            guard status.isRegularFile else {
                throw SystemError(code: EINVAL, call: "open", advice: "\(path.text) is not a regular file")
            }
            try check(status, path, session)
            return file
        } catch { throw unreadable(path, error) }
    }

    private static func check(_ status: FileStatus, _ path: Argument, _ session: Session) throws(SystemError) {
        guard status.owner == geteuid() || status.owner == 0, status.mode & S_IWOTH == 0 else {
            throw SystemError(code: EPERM, call: "open", advice: "Other users may change the file.")
        }
        if status.mode & (S_IRGRP | S_IROTH) != 0 { session.explain("other users may read \(path.text).") }
        session.explain("\(path.text) still holds every password in plain text: delete it.")
    }

    private static func unreadable(_ path: Argument, _ error: SystemError) -> CommandFailure {
        unreadable(path, error.advice.isEmpty ? unsafe String(cString: strerror(error.code)) : error.advice)
    }

    static func unreadable(_ path: Argument, _ cause: String) -> CommandFailure {
        .failed(
            "import-from: \(path.text) cannot be read", cause: cause,
            remedy: "Name a file of your own, as the other program exports it.")
    }
}
