import Glibc

/// A descriptor that this program inherited, given by its number on the command line.
extension FileDescriptor {
    /// Takes ownership of it and closes it on exec.
    ///
    /// - Parameter text: the number. The result is nil for a text that is not a number, for the standard streams, and
    ///   where nothing is open.
    package convenience init?(inherited text: String?) {
        guard let number = text.flatMap(CInt.init), number > STDERR_FILENO, fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        self.init(owning: number)
    }
}

extension UnixSocket {
    /// Takes ownership of a socket, as `FileDescriptor(inherited:)` does; nil also for a descriptor that is not a
    /// socket.
    package init?(inherited text: String?) {
        guard let descriptor = FileDescriptor(inherited: text), (try? FileStatus(of: descriptor))?.isSocket == true
        else { return nil }
        self.init(descriptor)
    }
}
