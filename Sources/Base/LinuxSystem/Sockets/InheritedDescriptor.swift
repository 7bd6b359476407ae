import Glibc

/// A descriptor that this program was started with and is told of by its number, on the command line.
extension FileDescriptor {
    /// Takes it over; from here on it is closed on exec.
    ///
    /// - Parameter text: the number. Nil comes of what is none, of those of the standard streams, and where nothing is
    ///   open.
    package convenience init?(inherited text: String?) {
        guard let number = text.flatMap(CInt.init), number > STDERR_FILENO, fcntl(number, F_SETFD, FD_CLOEXEC) == 0
        else { return nil }
        self.init(owning: number)
    }
}

extension UnixSocket {
    /// Takes over a socket, as `FileDescriptor(inherited:)` does; what is no socket is nil too.
    package init?(inherited text: String?) {
        guard let descriptor = FileDescriptor(inherited: text), (try? FileStatus(of: descriptor))?.isSocket == true
        else { return nil }
        self.init(descriptor)
    }
}
