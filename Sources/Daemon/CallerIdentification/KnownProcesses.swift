package import KeychainPolicy
package import LinuxSystem

/// Processes that were identified lately, so that their next connection costs two system calls.
///
/// A number and a connection prove nothing alone: the process may have ended and another one have its number, or it may execute
/// something else by now. A process is taken for the same one if
///
/// 1. it lived when it was noted, and does now: its folder is held open, which is no later process's;
/// 2. the connection was made after it was noted (``UnixSocket/madeAfter``), so by whoever has had the number since then;
/// 3. it had the same user and group when it connected;
/// 4. it executes the very file it did, in the same version.
///
/// In doubt it is not known, and is identified as if it had never been here.
package final class KnownProcesses: Sendable {
    /// A process as it was identified. One reference, which is handed out for the price of one.
    package final class Entry: Sendable {
        let numbers: PeerNumbers
        let folder: ProcessFolder
        let version: FileVersion
        /// What its groups rest on.
        let signature: ProgramSignature?
        /// The number of the installed entitlements it was held against.
        let reading: UInt64
        package let caller: CallerIdentity
        /// A moment when it lived and had its number.
        let noted: UInt64

        init(
            _ caller: CallerIdentity, numbers: PeerNumbers, folder: ProcessFolder, version: FileVersion,
            signature: ProgramSignature?, reading: UInt64, noted: UInt64
        ) {
            (self.caller, self.numbers, self.folder, self.version) = (caller, numbers, folder, version)
            (self.signature, self.reading, self.noted) = (signature, reading, noted)
        }

        /// The same, known for as long as an earlier entry of the same process.
        fileprivate func since(_ earlier: Entry) -> Entry {
            Entry(
                caller, numbers: numbers, folder: earlier.folder, version: version, signature: signature,
                reading: reading, noted: earlier.noted)
        }
    }

    /// As many as a busy session has; who is forgotten is identified again.
    package static let capacity = 128

    private let entries = Lock<[Int32: Entry]>([:])

    package init() {}

    package var count: Int { entries.withLock { $0.count } }

    /// Who made a connection, if that is certain.
    package func find(_ numbers: PeerNumbers, madeAfter: UInt64?) -> Entry? {
        guard let madeAfter, let entry = entries.withLock({ $0[numbers.process] }), entry.noted <= madeAfter,
            entry.numbers == numbers, entry.folder.executes(entry.version)
        else { return nil }
        return entry
    }

    /// Notes a process, in place of another one that had its number.
    func note(_ entry: Entry) {
        var entry = entry
        // The longer it has been known the older its connections may be; what it executes is as it is now.
        if let old = entries.withLock({ $0[entry.numbers.process] }), old.folder.executes(entry.version) {
            entry = entry.since(old)
        }
        entries.withLock { entries in
            entries[entry.numbers.process] = entry
            guard entries.count > Self.capacity else { return }
            if let oldest = entries.min(by: { $0.value.noted < $1.value.noted }) { entries[oldest.key] = nil }
        }
    }
}
