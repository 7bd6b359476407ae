import EnclaveWire
import Glibc
import KeychainBackup
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Requests about backups: for the keychain's own command, and for what its user has shown.
extension KeychainEngine {
    func backup(
        _ request: BackupRequest, _ files: [FileDescriptor], from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> BackupReply {
        let status = try enclave.status()
        try AccessPolicy.requireBackup(caller, passcodeIsSet: status.passcodeIsSet, daemonUser: CurrentProcess.user)
        if request == .dates { return .dates(try dates()) }
        guard status.lockState == .unlocked else { throw .locked(.whenUnlocked) }
        let owner = try caller.digest()
        switch request {
        case .survey(let cursor): return .survey(try survey(from: cursor, status.passcodeIsSet, by: deadline))
        case .begin(let kind):
            return .begun(try begin(by: kind, files, status.passcodeIsSet, for: owner, by: deadline))
        case .next(let ticket):
            return .piece(try backups.writing(ticket, of: owner) { (work) throws(Refusal) in try work.next() })
        case .open(let opening): return .opened(try open(opening, files, status.passcodeIsSet, for: owner))
        case .take(let ticket, let applies, let index, let box):
            return .taken(
                try backups.reading(ticket, of: owner) { (work) throws(Refusal) in
                    try take(box, index, applies: applies, work, by: deadline)
                })
        case .end(let ticket, let isWritten):
            let made = try? backups.writing(ticket, of: owner) { $0.created }
            if isWritten, let made { exclusively { _ in datesFile.note(made: made) } }
            backups.end(ticket, of: owner)
            try enclave.endBackup(ticket)
            return .done
        case .dates: return .dates(try dates())
        }
    }

    private var datesFile: BackupDatesFile { BackupDatesFile(folder: store.folder) }

    private func dates() throws(Refusal) -> BackupDates {
        try change { (writer) throws(Refusal) in
            var dates = datesFile.dates
            // The store counts from 2001 on. The second of a backup is in it.
            let counted = try writer.store.countShelves(after: max(dates.made, 0) - 978_307_200)
            (dates.shelves, dates.laterShelves) = (UInt64(clamping: counted.all), UInt64(clamping: counted.later))
            return dates
        }
    }

    private func begin(
        by kind: CredentialKind, _ files: [FileDescriptor], _ passcodeIsSet: Bool, for owner: [UInt8],
        by deadline: Deadline
    ) throws(Refusal) -> BackupBeginning {
        // A shelf that is made from here on is later than the backup.
        let hasShelves = try !shelves.records(after: nil).isEmpty
        let opened = try enclave.beginBackup(by: kind, files[0], files[1], hasShelves: hasShelves)
        do throws(Refusal) {
            let copy = try copyReader(by: deadline)
            let rows = try copy.reader.countRows()
            let work = try BackupWriting(copy, shelves, opened, AuthenticationFactors(passcodeIsSet: passcodeIsSet))
            add(.writing(work), opened, for: owner)
            return BackupBeginning(ticket: opened.ticket, rows: rows, header: opened.header)
        } catch {
            try? enclave.endBackup(opened.ticket)
            throw error
        }
    }

    private func add(_ work: BackupsUnderWay.Work, _ opened: OpenedBackup, for owner: [UInt8]) {
        if let oldest = backups.add(work, opened.ticket, of: owner) { try? enclave.endBackup(oldest) }
    }

    /// Ends the backups whose command went away, and with each its copy of the store and its keys.
    func giveUpBackups() {
        for ticket in backups.giveUpIdle() { try? enclave.endBackup(ticket) }
    }

    private func survey(
        from cursor: BackupCursor, _ passcodeIsSet: Bool, by deadline: Deadline
    ) throws(Refusal) -> BackupSurvey {
        let shown = AuthenticationFactors(passcodeIsSet: passcodeIsSet)
        let walk = BackupWalk(try makeItemReader(past: nil), shelves, shown)
        return try walk.survey(from: cursor, by: deadline)
    }

    /// Opens a backup. To put its items into the keychain takes what set the keychain up: its credential.
    private func open(
        _ opening: BackupOpening, _ files: [FileDescriptor], _ passcodeIsSet: Bool, for owner: [UInt8]
    ) throws(Refusal) -> BackupContents {
        if opening.purpose == .restore, passcodeIsSet { try enclave.unlock(with: opening.credential, files[0]) }
        let opened = try enclave.openBackup(opening.header, with: opening.backupCredential, files[1])
        let key = try enclave.backupKey(opened.ticket, .manifest, index: 0)
        do throws(BackupProblem) {
            let header = try BackupHeader(decoding: opened.header)
            let content = try BackupBox(.manifest, of: header).open(opening.manifest, under: key)
            let manifest = try BackupManifest(decoding: content)
            let work = BackupReading(opened, header, manifest, isForRestore: opening.purpose == .restore)
            add(.reading(work), opened, for: owner)
            return BackupContents(
                ticket: opened.ticket, created: manifest.created, items: manifest.items, left: manifest.left,
                parts: UInt32(manifest.parts))
        } catch {
            try? enclave.endBackup(opened.ticket)
            throw Refusal(error)
        }
    }

    /// Looks at a part, or puts its items into the keychain.
    private func take(
        _ box: [UInt8], _ index: UInt32, applies: Bool, _ work: BackupReading, by deadline: Deadline
    ) throws(Refusal) -> [RestoredItem] {
        let records = try work.records(box, index, applies: applies, enclave)
        let shelves = MergedShelves(registry: shelves) { [enclave] (shelf, isRepair) throws(Refusal) in
            try work.sealShelf(shelf, inPlaceOfDamaged: isRepair, enclave)
        }
        let items = try change { (writer) throws(Refusal) in
            try MergeRecords(
                records: records, shelves: shelves, applies: applies, comparesValues: work.isForRestore,
                writer: writer, deadline: deadline
            ).run()
        }
        if applies {
            checkpointIfDue()
        } else if let made = work.note(checked: index) {
            exclusively { _ in datesFile.note(checked: Int64(time(nil)), ofBackup: made) }
        }
        return items
    }

    /// A reader of a copy of the store, which is of one moment and has no name.
    private func copyReader(by deadline: Deadline) throws(Refusal) -> ItemReader {
        ItemReader(
            reader: try store.makeCopyReader(indexKey: indexKey, by: deadline),
            sealer: try ItemSealer(enclave: enclave, keyring: keyring), past: AccessControlGate(enclave), decisions,
            anchoredGroups, history)
    }
}

extension AuthenticationFactors {
    /// The factors that the keychain's credential shows, where there is one.
    fileprivate init(passcodeIsSet: Bool) { self = passcodeIsSet ? .passcode : [] }
}
