import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainWire
import LinuxSystem

/// A backup that was opened. No item of it is put into the keychain before every part was looked at and found to be
/// what the manifest says.
final class BackupReading: Sendable {
    private let ticket: [UInt8]
    private let header: BackupHeader
    private let manifest: BackupManifest
    /// Whether it was opened to be put into the keychain, for which its credential was shown, where one is set.
    let isForRestore: Bool
    /// The parts that were looked at.
    private let checked = Lock<Set<UInt32>>([])

    init(_ opened: OpenedBackup, _ header: BackupHeader, _ manifest: BackupManifest, isForRestore: Bool) {
        (ticket, self.header, self.manifest, self.isForRestore) = (opened.ticket, header, manifest, isForRestore)
    }

    /// The records of a part.
    ///
    /// - Throws: `errSecDecode` (`backup.damaged`) when it is not the one that the manifest names; `errSecParam` for
    ///   items that are to be taken before all were looked at.
    func records(
        _ box: [UInt8], _ index: UInt32, applies: Bool, _ enclave: any EnclaveService
    ) throws(Refusal) -> [BackupEntry] {
        guard !applies || (isForRestore && checked.withLock { $0.count } == manifest.parts) else { throw .notChecked }
        do throws(BackupProblem) { try manifest.check(box, isPart: index) } catch {
            if applies, case .damaged(let name) = error { throw .changedMeanwhile(name) }
            throw Refusal(error)
        }
        let key = try enclave.backupKey(ticket, .part, index: index)
        return try reading { () throws(BackupProblem) in
            let place = BackupBox.Place.part(index)
            let content = try BackupBox(place, of: header).open(box, under: key)
            var records: [BackupEntry] = []
            try BackupEntry.read(content, "part \(UInt64(index) + 1)", hasShelves: header.hasShelves) {
                records.append($0)
            }
            return records
        }
    }

    /// A shelf of the backup, with its keys sealed for the enclave of this keychain.
    func sealShelf(
        _ shelf: Shelf, inPlaceOfDamaged isRepair: Bool, _ enclave: any EnclaveService
    ) throws(Refusal) -> Shelf {
        try enclave.sealShelf(shelf, fromBackup: ticket, inPlaceOfDamaged: isRepair)
    }

    /// Notes a part that was looked at.
    ///
    /// - Returns: when the backup was made, in seconds since 1970, if that was the last part of it; else nil.
    func note(checked index: UInt32) -> Int64? {
        let isLast = checked.withLock { $0.insert(index).inserted && $0.count == manifest.parts }
        return isLast ? manifest.created : nil
    }

    private func reading<Result>(_ body: () throws(BackupProblem) -> Result) throws(Refusal) -> Result {
        do throws(BackupProblem) { return try body() } catch { throw Refusal(error) }
    }
}

extension Refusal {
    fileprivate static func changedMeanwhile(_ part: String) -> Refusal {
        Refusal(
            .decode, .damagedBackup, "backup",
            "The backup was changed while it was restored: \(part) is not the one that was looked at.",
            do: "Restore a copy of the file that nobody writes to. Items that were taken before stay.")
    }

    fileprivate static let notChecked = Refusal(
        .param, .notAllowedHere, "backup", "Not every part of the backup was looked at yet.",
        do: "Use the command of this release: security restore.")
}
