import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Keeps the store's mark and the vault in step, and notices when one of them was put back.
///
/// The store is marked after every change of the vault and after a block of writes. ``VaultAge`` says in which order,
/// so that a crash between the two never looks like an older store. A mark that cannot be written now, for example
/// because the disk is full, is written later: no write is refused for it.
final class AgeKeeper: Sendable {
    /// After so many writes a block ends. An older store is noticed when two blocks ended after it.
    static let block: Int64 = 256
    /// Other processes may begin blocks while one looks; never so many.
    private static let looks = 16

    private let enclave: any EnclaveService
    private let log: AuditLog.Writer?
    private let noted = Lock(Noted())

    private struct Noted: Equatable {
        var age = KeychainAge.current
        /// Why the age is not known, or not good.
        var problem = ""
    }

    init(_ enclave: any EnclaveService, _ log: AuditLog.Writer?) { (self.enclave, self.log) = (enclave, log) }

    /// The age of store and vault together.
    func whole(with vault: KeychainAge) -> KeychainAge { vault == .current ? noted.withLock { $0.age } : vault }

    /// Compares the store with the vault, and marks the store again where the vault has changed. One thread at a time
    /// does so.
    func look(at store: StoreWriter, beginsBlock: Bool = false) {
        do throws(Refusal) {
            if store.hasDamagedLog { return note(.olderStore, Self.damagedLog) }
            note(store.wentBack ? .olderStore : try mark(store, beginsBlock))
        } catch {
            let problem = "\(error.problem) \(error.remedy)"
            switch error.rule {
            case .olderVault: note(.olderVault, problem)
            case .olderKeychain: note(.olderKeychain, problem)
            default: note(noted.withLock { $0.age }, "The age of the store is not known: \(problem)")
            }
        }
    }

    /// Begins a block when there were so many writes: after they were answered, so that none of them waits for the
    /// vault.
    func beginBlockIfDue(of store: StoreWriter) {
        guard store.writesInBlock >= Self.block else { return }
        store.askForBlock()
        look(at: store, beginsBlock: true)
    }

    /// Ends the block, so that after an end in good order every older store is noticed.
    func close(_ store: StoreWriter) {
        guard store.writesInBlock > 0 else { return }
        for _ in 0..<2 { look(at: store, beginsBlock: true) }
    }

    /// The user says that this store is meant.
    func accept(_ store: StoreWriter, _ passcode: FileDescriptor) throws(Refusal) {
        try store.keep(accepted: try enclave.acceptStore(passcode))
        note(.current)
    }

    private func mark(_ store: StoreWriter, _ beginsBlock: Bool) throws(Refusal) -> KeychainAge {
        var found = try store.mark()
        for _ in 0..<Self.looks {
            switch try enclave.renew(found, beginsBlock: beginsBlock) {
            case .current(let mark):
                if mark != found { try store.keep(mark, insteadOf: found) }
                return .current
            case .older:
                // The vault may know a newer mark of the store than the one read before.
                let again = try store.mark()
                if again == found { return .olderStore }
                found = again
            }
        }
        return .current
    }

    /// Notes the store's age, and logs what is new.
    private func note(_ age: KeychainAge, _ problem: String = "") {
        let now = Noted(age: age, problem: age == .olderStore && problem.isEmpty ? Self.olderStore : problem)
        let before = noted.withLock { noted in
            defer { noted = now }
            return noted
        }
        if now != before, !now.problem.isEmpty { log?(now.problem) }
    }

    private static let olderStore = """
        The store is older than the one that was here, or not marked by this vault; it is served as it is. If it is \
        meant, say so with security accept-store.
        """
    private static let damagedLog = """
        The store's log was damaged before its end, and what was stored after that place is lost; the store is served \
        as it was then. The log is kept as keychain.db-wal.damaged until security accept-store says that nothing can \
        be done.
        """
}

extension DeviceRequest {
    /// Whether the vault may be another afterwards, also when it is refused. Every credential comes with a request, and
    /// the enclave counts it: no kind of request is left out.
    func mayChangeVault(with credentials: Int) -> Bool {
        if case .changeSettings = self { return true }
        return credentials > 0
    }
}

extension AuthenticationRequest {
    /// The same: a passcode may also come from the user, who is asked.
    func mayChangeVault(with credentials: Int) -> Bool { mayAsk || credentials > 0 }
}

extension Refusal {
    static let nothingToAccept = Refusal(
        .param, .contradiction, "store", "The store is the newest that the vault knows.", do: "Nothing has to be done.")
}
