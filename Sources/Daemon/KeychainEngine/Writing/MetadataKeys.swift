import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import LinuxSystem

/// Makes the metadata keys of the classes that items go into.
struct MetadataKeys {
    let store: StoreWriter
    let sealer: ItemSealer

    /// Makes sure that the class an item goes into has its metadata key, in a transaction of its own.
    func prepare(for request: AuthorizedRequest, by deadline: Deadline) throws(Refusal) {
        for part in request.parts { try prepare(for: part, by: deadline) }
        switch request.request.operation {
        case .add where request.parts.isEmpty:
            try ensureMetadataKey(for: try request.addedAccessibility(), by: deadline)
        case .update:
            guard let accessibility = request.request.changes.accessibility else { return }
            try ensureMetadataKey(for: accessibility, by: deadline)
        case .add, .delete, .copyMatching, .history, .restore, .forget: break
        }
    }

    /// The same for a class.
    func prepare(for accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        try ensureMetadataKey(for: accessibility, by: deadline)
    }

    private func ensureMetadataKey(for accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        do throws(Refusal) {
            if try sealer.context(for: accessibility, in: store.reader) != nil { return }
        } catch {
            guard accessibility == .whenPasscodeSetThisDeviceOnly, error.status == .decode else { throw error }
            try setAside(accessibility, by: deadline)
        }
        try makeMetadataKey(for: accessibility, by: deadline)
        guard try sealer.context(for: accessibility, in: store.reader) != nil else { throw .locked(accessibility) }
    }

    /// Makes the first key of a class. A class that has rows but no key is refused: its rows may open again when
    /// somebody restores the key.
    private func makeMetadataKey(for accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        var made: SecretBytes?
        try store.transaction(by: deadline) { () throws(Refusal) in
            guard try store.reader.wrappedMetadataKey(for: accessibility) == nil else { return }
            guard try !store.reader.hasRows(of: accessibility) else { throw .metadataKeyMissing(accessibility) }
            let (key, wrapped) = try sealer.enclave.makeMetadataKey(for: accessibility)
            try store.keep(metadataKey: wrapped, for: accessibility)
            made = key
        }
        if let made { try sealer.use(made, for: accessibility) }
    }

    /// A class of the passcode's whose metadata key does not open: its class key went with a passcode while a crash
    /// kept the rows, or the key is damaged. Nothing says which, so the rows are put aside with it, and not removed.
    private func setAside(_ accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        try store.transaction(by: deadline) { () throws(Refusal) in
            // Another process may have done it, and made a new key.
            guard let wrapped = try store.reader.wrappedMetadataKey(for: accessibility),
                try !opens(wrapped, accessibility)
            else { return }
            try store.quarantine(accessibility)
        }
    }

    private func opens(_ wrapped: [UInt8], _ accessibility: Accessibility) throws(Refusal) -> Bool {
        do throws(Refusal) {
            _ = try sealer.enclave.unwrapMetadataKey(wrapped, for: accessibility)
            return true
        } catch {
            guard error.status == .decode else { throw error }
            return false
        }
    }
}

extension Refusal {
    fileprivate static func metadataKeyMissing(_ accessibility: Accessibility) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store has items of the class \(accessibility.code), and the key of their attributes is missing.",
            do: "Run `security verify-keychain`; to go back, \(StoreFile.restoringSnapshot).")
    }
}
