import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Walks over all shelves.
extension KeychainEngine {
    /// The shelves that go with the passcode.
    func passcodeShelves(in reader: ShelfReader) throws(Refusal) -> [ShelfID] {
        var (found, last) = ([ShelfID](), nil as ShelfID?)
        while true {
            let page = try shelves.records(after: last, in: reader)
            guard let end = page.last?.id else { return found }
            let lost = page.filter { $0.shelf?.shelf.key.binding.accessibility == .whenPasscodeSetThisDeviceOnly }
            found += lost.map(\.id)
            last = end
        }
    }

    /// Counts the shelves whose files do not open, for another reason than a lock or a user who would have to be asked.
    func countDamagedShelves(by deadline: Deadline) throws(Refusal) -> Int {
        var (damaged, last) = (0, nil as ShelfID?)
        while true {
            let page = try shelves.records(after: last)
            guard let end = page.last?.id else { return damaged }
            for record in page {
                try deadline.check()
                if try !isWhole(record.shelf?.shelf) { damaged += 1 }
            }
            last = end
        }
    }

    /// Whether the shelf gives back what it wraps, as far as it is open now.
    private func isWhole(_ shelf: Shelf?) throws(Refusal) -> Bool {
        guard let shelf else { return false }
        let file = FileID()
        do throws(Refusal) {
            let made = try enclave.makeFileKey(of: file, in: shelf, in: nil)
            let key = try enclave.unwrapFileKey(made.slot, of: file, by: shelf, in: nil)
            return key.isEqual(to: made.key)
        } catch {
            switch error.status {
            case .decode: return false
            case .interactionNotAllowed, .authNeeded, .authFailed: return true
            default: throw error
            }
        }
    }
}
