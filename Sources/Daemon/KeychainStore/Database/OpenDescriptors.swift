import LinuxSystem

/// The files that SQLite has open for a connection, so that it is noticed when somebody removes or replaces them, and
/// when the program closes or reuses their descriptors.
///
/// A program that becomes a daemon may close every descriptor it does not know. SQLite would go on with the numbers:
/// into a file of the program's, or into nothing.
///
/// No file of a store becomes shorter while it is open: a log is removed only when nobody has it open, and the database
/// gives nothing back. A file that is shorter was cut by somebody else. A further write would acknowledge data that
/// cannot be found again. The index of the log is mapped, and the kernel ends a process that reads past its end.
struct OpenDescriptors: Sendable {
    /// The result of a look at the descriptors.
    enum Finding { case intact, closed, cut }

    private struct Descriptor: Hashable {
        let number: Int32
        let device, inode: UInt64
    }

    private struct NamedFile {
        let path: String
        let status: FileStatus
    }

    private struct OpenFile {
        let descriptor: Descriptor
        /// The greatest that was seen: bytes.
        var size: Int

        /// The file that its descriptor refers to now; nil when that is another file, or none.
        var status: FileStatus? {
            OpenDescriptors.status(descriptor.number).flatMap { found in
                OpenDescriptors.descriptor(descriptor.number, found) == descriptor ? found : nil
            }
        }
    }

    private var known: [OpenFile]
    private let files: [NamedFile]
    /// Two connections that are opened at the same time would take each other's descriptors for their own.
    /// A forked child finds it free, whichever thread of its parent had it.
    private static let opening = ProcessLocal(())

    /// Runs what opens a database with its log, and notes what is open then.
    static func opened<Result, Failure: Error>(
        ofDatabase path: String, by body: () throws(Failure) -> Result
    ) throws(Failure) -> (Result, OpenDescriptors) {
        try opening.withValue(inChild: { (_: inout Void) throws(Failure) in }) { (_: inout Void) throws(Failure) in
            let before = all()
            let result = try body()
            let after = all()
            let files = ["", "-wal", "-shm"].compactMap { file(path + $0) }
            // SQLite has the index open once for all connections of a process.
            let index = after.filter { descriptor in file("\(path)-shm").map { isOf($0, descriptor) } ?? false }
            let new = after.subtracting(before).filter { descriptor in files.contains { isOf($0, descriptor) } }
            let known = new.union(index).map { OpenFile(descriptor: $0, size: 0) }
            return (result, OpenDescriptors(known: known, files: files))
        }
    }

    /// Whether each descriptor still is what it was.
    var areIntact: Bool { known.allSatisfy { $0.status != nil } }

    /// Whether each descriptor still is what it was, and its file no shorter than at any look before.
    mutating func look() -> Finding {
        var finding = Finding.intact
        for index in known.indices {
            guard let size = known[index].status?.size else { return .closed }
            if size < known[index].size { finding = .cut }
            known[index].size = max(known[index].size, size)
        }
        return finding
    }

    /// Whether the files still have their names.
    var areInPlace: Bool {
        files.allSatisfy { known in Self.file(known.path)?.status.isSameFile(as: known.status) ?? false }
    }

    private static func isOf(_ file: NamedFile, _ descriptor: Descriptor) -> Bool {
        file.status.device == descriptor.device && file.status.inode == descriptor.inode
    }

    private static func file(_ path: String) -> NamedFile? {
        guard let found = try? FileStatus(ofLink: path) else { return nil }
        return NamedFile(path: path, status: found)
    }

    private static func all() -> Set<Descriptor> {
        let numbers = (try? FolderEntries.names(in: "/proc/self/fd"))?.compactMap { Int32($0) } ?? Array(0..<highest)
        return Set(numbers.compactMap { number in status(number).map { descriptor(number, $0) } })
    }

    /// How far descriptors are looked for where there is no /proc: the kernel gives the lowest free number.
    private static let highest: Int32 = 4096

    private static func status(_ number: Int32) -> FileStatus? { try? FileStatus(ofDescriptor: number) }

    private static func descriptor(_ number: Int32, _ status: FileStatus) -> Descriptor {
        Descriptor(number: number, device: status.device, inode: status.inode)
    }
}
