import KeychainBackup
import KeychainModel
import KeychainWire
import LinuxSystem

/// The keys of the backups that are being made or read, each under its ticket.
struct OpenBackups {
    /// The state of one backup.
    struct Entry {
        let ticket: [UInt8]
        let keys: BackupKeys
        /// Of the backup's header.
        let proof: [UInt8]
        /// The factors that the user has shown for a backup that is being made; nil for one that is read.
        let shown: AuthenticationFactors?
        /// When it was begun, in seconds of the enclave's clock.
        fileprivate let began: UInt64
        /// The next box that is sealed; nil after the manifest.
        fileprivate var next: UInt32? = 0

        /// The factors for the rows and shelves that go into it; nil for a backup that is read, has its manifest, or
        /// was begun too long ago: a daemon that was taken over would go on with it while the keychain is unlocked.
        ///
        /// - Parameter now: seconds of the enclave's clock.
        func factorsForRows(at now: UInt64) -> AuthenticationFactors? {
            next != nil && now >= began && now - began < OpenBackups.longest ? shown : nil
        }
    }

    /// More at once are not needed: a person makes one.
    private static let most = 4
    /// Seconds. The largest keychain takes minutes.
    fileprivate static let longest: UInt64 = 3600
    private var entries: [Entry] = []

    /// - Returns: the ticket.
    mutating func add(
        _ keys: BackupKeys, of header: BackupHeader, shown: AuthenticationFactors?, at now: UInt64
    ) -> [UInt8] {
        let ticket = Randomness.bytes(BackupTicket.bytes)
        if entries.count >= Self.most { entries.removeFirst() }
        entries.append(Entry(ticket: ticket, keys: keys, proof: header.proof, shown: shown, began: now))
        return ticket
    }

    /// - Throws: `errSecAuthFailed` (`backup.not-under-way`).
    func entry(_ ticket: [UInt8]) throws(Refusal) -> Entry {
        guard let entry = entries.first(where: { $0.ticket == ticket }) else { throw .noBackupUnderWay }
        return entry
    }

    /// The keys for a box. Of a backup that is being made no key is given twice, so that none seals two boxes.
    mutating func keys(_ ticket: [UInt8], for box: BackupBox.Place) throws(Refusal) -> BackupKeys {
        let entry = try entry(ticket)
        guard entry.shown != nil, let place = entries.firstIndex(where: { $0.ticket == ticket }) else {
            return entry.keys
        }
        switch box.kind {
        case .part:
            guard let next = entry.next, next == box.index, next < BackupFraming.mostParts else {
                throw .noBackupUnderWay
            }
            entries[place].next = next + 1
        case .manifest:
            guard entry.next != nil, box == .manifest else { throw .noBackupUnderWay }
            entries[place].next = nil
        }
        return entry.keys
    }

    mutating func end(_ ticket: [UInt8]) { entries.removeAll { $0.ticket == ticket } }
    mutating func forgetAll() { entries = [] }
}

extension Refusal {
    static var noBackupUnderWay: Refusal {
        Refusal(
            .authFailed, .noBackupUnderWay, "backup",
            "The backup has ended meanwhile: the keychain was locked, or others were begun.",
            do: "Begin it again; what was there before is still there.")
    }
}
