import LinuxSystem

/// The descriptors that SQLite has open for a connection, so that it is noticed when the program closes or reuses them.
///
/// A program that becomes a daemon may close every descriptor it does not know. SQLite would go on with the numbers: into a file of
/// the program's, or into nothing.
struct OpenDescriptors: Sendable {
    private struct Descriptor: Hashable {
        let number: Int32
        let device, inode: UInt64
    }

    private let known: Set<Descriptor>
    /// Two connections that are opened at the same time would take each other's descriptors for their own.
    private static let opening = Lock(())

    /// Runs what opens files, and notes which of the paths it has opened.
    static func opened<Result, Failure: Error>(
        of paths: [String], by body: () throws(Failure) -> Result
    ) throws(Failure) -> (Result, OpenDescriptors) {
        try opening.withLock { (_: inout Void) throws(Failure) in
            let before = all()
            let result = try body()
            let files = paths.compactMap { (try? FileStatus(at: $0)) ?? nil }
            let new = all().subtracting(before).filter { descriptor in
                files.contains { $0.device == descriptor.device && $0.inode == descriptor.inode }
            }
            return (result, OpenDescriptors(known: new))
        }
    }

    /// Whether each of them still is what it was.
    var areIntact: Bool { known.allSatisfy { Self.descriptor($0.number) == $0 } }

    private static func all() -> Set<Descriptor> {
        let numbers = (try? FolderEntries.names(in: "/proc/self/fd"))?.compactMap { Int32($0) } ?? []
        return Set(numbers.compactMap(descriptor))
    }

    private static func descriptor(_ number: Int32) -> Descriptor? {
        guard let status = try? FileStatus(ofDescriptor: number) else { return nil }
        return Descriptor(number: number, device: status.device, inode: status.inode)
    }
}
