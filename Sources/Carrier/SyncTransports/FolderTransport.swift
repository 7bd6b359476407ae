import Glibc
package import LinuxSystem
package import SyncFormat

/// A circle in a folder that something else carries: Syncthing, a client of Nextcloud, NFS, a stick.
///
///     FOLDER/CIRCLE/log/DEVICE/SEQ    FOLDER/CIRCLE/part/DEVICE/SEQ/PART
///
/// Each machine writes in folders of its own, so that what carries them has no conflicts to solve. Their carrier may
/// write in all: no link is followed, and other files are passed over.
package final class FolderTransport: SyncTransport {
    private let root: String
    private let circle: CircleID
    private let witnesses = Lock(SeenWitnesses())
    /// The folder that this process has written in, and swept before.
    private let swept = Lock("")
    /// Nil where this user has no more of them: the folder is looked at from time to time then.
    private let events: FileEvents?
    private let looks: Looks

    /// - Parameters:
    ///   - folder: is there already; the circle's own is made in it.
    ///   - looks: when the folder is looked at: nothing reports what other machines write into one on a network.
    package init(_ folder: String, circle: CircleID, looks: Looks = Looks()) {
        (root, self.circle, self.looks) = (folder, circle, looks)
        events = try? FileEvents()
    }

    package func found() throws(TransportProblem) {
        try withSystem { () throws(SystemError) in
            guard let root = try self.folderOfAll() else { return false }
            _ = try root.makeFolder(circle.text).makeFolder("log")
            return true
        }
    }

    package func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        try slot.check(bytes, of: circle)
        var commitment = Commitment.done
        try withSystem { () throws(SystemError) in
            guard var folder = try place() else { return false }
            let names = slot.text.split(separator: "/").map(String.init)
            for name in names.dropFirst().dropLast() { folder = try folder.makeFolder(name) }
            sweep(folder, of: slot)
            guard try !folder.create(names[names.count - 1], with: bytes.span) else { return true }
            let there = try folder.batch(names[names.count - 1])
            if there != bytes { commitment = .occupied(there) }
            return true
        }
        if commitment == .done { looks.noteCommit(slot) }
        return commitment
    }

    package func discard(_ slots: [SyncSlot]) throws(TransportProblem) {
        try withSystem { () throws(SystemError) in
            guard let place = try place() else { return false }
            for slot in slots where slot.circle == circle {
                if let (folder, name) = try find(slot, in: place) { try folder.remove(name) }
            }
            return true
        }
    }

    package func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? {
        var bytes: [UInt8]?
        try withSystem { () throws(SystemError) in
            guard slot.circle == circle else { return true }
            guard let place = try place() else { return false }
            bytes = try find(slot, in: place).flatMap { (folder, name) throws(SystemError) in
                try folder.batch(name)
            }
            return true
        }
        return bytes
    }

    package func wait(until deadline: Deadline) throws(TransportProblem) -> Bool {
        guard let events else { return looks.wait(until: deadline) }
        do throws(SystemError) {
            let due = looks.deadline(of: looks.next)
            try events.descriptor.wait(for: .readable, deadline: min(deadline, due))
            try events.clear()
            return true
        } catch {
            if error.code == ETIMEDOUT { return looks.take() }
            throw .system(error)
        }
    }
}

// MARK: - Reading

extension FolderTransport {
    package func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        var reading = FolderReading(after: heads, atMost: most)
        try withSystem { () throws(SystemError) in
            if let root = try folderOfAll() { watch(root) }
            guard let place = try place() else { return false }
            watch(place)
            guard let logs = try place.folder("log") else { return false }
            watch(logs)
            let names = try logs.names(atMost: TransportLimits.names)
            // A name of somebody else's is no log, nor is a file. A log that cannot be read hinders no other.
            let found = names.compactMap { name in FolderName.log(name, of: self.circle).map { (name, $0) } }
            // Those that the reader knows come first: no other folders hide them.
            let known = found.filter { heads[$0.1.device] != nil }
            let others = found.filter { heads[$0.1.device] == nil }
            for (name, log) in (known + others).prefix(TransportLimits.logs) {
                guard let folder = try? logs.folder(name) else { continue }
                watch(folder)
                reading.read(log, in: folder, witnesses)
            }
            return true
        }
        looks.noteLook(reading.changes.ends)
        return reading.changes
    }
}

// MARK: - Folders

extension FolderTransport {
    private func folderOfAll() throws(SystemError) -> HeldFolder? {
        do throws(SystemError) { return try HeldFolder(root) } catch {
            if error.code == ENOENT || error.code == ENOTDIR { return nil }
            throw error
        }
    }

    private func place() throws(SystemError) -> HeldFolder? { try folderOfAll()?.folder(circle.text) }

    /// Removes what kills of an earlier process have left in a folder where only this machine writes.
    private func sweep(_ folder: HeldFolder, of slot: SyncSlot) {
        let name = slot.text.split(separator: "/").dropLast().joined(separator: "/")
        let isFirst = swept.withLock { last in
            defer { last = name }
            return last != name
        }
        // Leftovers hinder nobody: what cannot be removed is tried by the next process.
        if isFirst { try? folder.removeLeftovers(atMost: TransportLimits.names) }
    }

    /// The folder and the name of a slot's file; nil where there is no such folder.
    private func find(_ slot: SyncSlot, in circle: HeldFolder) throws(SystemError) -> (HeldFolder, String)? {
        let names = slot.text.split(separator: "/").map(String.init)
        var found = circle
        for name in names.dropFirst().dropLast() {
            guard let next = try found.folder(name) else { return nil }
            found = next
        }
        return (found, names[names.count - 1])
    }

    /// A folder that cannot be watched is looked at from time to time.
    private func watch(_ folder: HeldFolder) {
        let changes = IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE | IN_MOVE_SELF | IN_DELETE_SELF
        try? events?.watch(folder.path, for: CInt(changes))
    }

    /// - Parameter body: false says that the circle's folder is missing.
    private func withSystem(_ body: () throws(SystemError) -> Bool) throws(TransportProblem) {
        let isThere: Bool
        do throws(SystemError) { isThere = try body() } catch { throw .system(error) }
        guard isThere else { throw .missing("\(root)/\(circle.text)") }
    }
}

extension HeldFolder {
    /// The bytes under the name of a batch or a part; nil for something that is none: a link, a pipe, a file that is
    /// too large.
    fileprivate func batch(_ name: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) { return try content(of: name, limit: TransportLimits.slotBytes) } catch {
            guard [ELOOP, EFBIG, EINVAL, EISDIR, ENXIO].contains(error.code) else { throw error }
            return nil
        }
    }
}
