import Glibc
package import LinuxSystem

/// The process that connected to a bus.
package struct BusProcess: Sendable {
    package let number: CInt
    /// The process itself (pidfd); nil where the bus knows its number alone.
    package let descriptor: FileDescriptor?

    package init(number: CInt, descriptor: FileDescriptor?) { (self.number, self.descriptor) = (number, descriptor) }

    /// Reads the answer to `GetConnectionCredentials`.
    ///
    /// - Throws: ``BusError`` with `ENODATA` when no process is named.
    init(credentials: BusMessage) throws(BusError) {
        var (number, descriptor): (UInt32?, FileDescriptor?) = (nil, nil)
        try credentials.readProperties { (name) throws(BusError) in
            switch name {
            case "ProcessID":
                try credentials.enterVariant("u")
                number = try credentials.readNumber()
                try credentials.leave()
            case "ProcessFD":
                try credentials.enterVariant("h")
                descriptor = try credentials.readDescriptor()
                try credentials.leave()
            default: break
            }
        }
        guard let number = number.flatMap({ CInt(exactly: $0) }) else { throw BusError(code: ENODATA) }
        (self.number, self.descriptor) = (number, descriptor)
    }
}
