import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Keys of protected files: the shelf is looked up, the policy asked about its group, and the enclave wraps or unwraps.
struct FileOperations {
    let engine: KeychainEngine
    let caller: CallerIdentity
    /// Where the user may be asked.
    let gate: AccessControlGate?

    /// Performs a request, and tells the log which group it is about.
    func perform(_ request: FileRequest, _ entry: inout AuditLog.Entry) throws(Refusal) -> FileReply {
        if let failure = engine.failure { throw failure }
        switch request {
        case .make(let file, let place):
            let shelf = try shelf(for: place, &entry)
            return .made(
                try guarding(shelf) { (context) throws(Refusal) in
                    try engine.enclave.makeFileKey(of: file, in: shelf.shelf, in: context)
                })
        case .open(let claim):
            let shelf = try shelf(of: claim, &entry)
            return .key(
                try guarding(shelf) { (context) throws(Refusal) in
                    try engine.enclave.unwrapFileKey(claim.slot, of: claim.file, by: shelf.shelf, in: context)
                })
        case .rewrap(let claim, let place):
            let source = try shelf(of: claim, &entry)
            return .slot(try rewrap(claim, from: source, to: try shelf(for: place, &entry)))
        case .shelves(let last):
            return .shelves(
                try engine.shelves.page(after: last) { caller.mayUse(shelf: $0.shelf) })
        case .deleteShelf(let id, let everywhere):
            try delete(try engine.shelves.shelf(id), everywhere: everywhere, &entry)
            return .done
        }
    }

    private func rewrap(
        _ claim: FileKeyClaim, from source: KnownShelf, to target: KnownShelf
    ) throws(Refusal) -> FileSlot {
        try guarding(source) { (context) throws(Refusal) in
            try engine.enclave.rewrapFileKey(
                claim.slot, of: claim.file, from: source.shelf, to: target.shelf, in: context)
        }
    }

    /// The shelf that wrapped a file's key, if the caller may use it.
    private func shelf(of claim: FileKeyClaim, _ entry: inout AuditLog.Entry) throws(Refusal) -> KnownShelf {
        let found = try engine.shelves.shelf(claim.slot.shelf)
        entry.name(found.shelf.key.binding.group)
        try AccessPolicy.authorize(found.shelf, from: caller)
        guard found.shelf.protection == claim.protection else { throw .otherClass }
        return found
    }

    /// The shelf for new files, which is made where there is none.
    private func shelf(for place: ShelfPlace, _ entry: inout AuditLog.Entry) throws(Refusal) -> KnownShelf {
        entry.name(place.binding.group)
        let place = try AccessPolicy.authorize(place, from: caller)
        entry.name(place.binding.group)
        if let found = try engine.shelves.shelf(at: place) { return found }
        let shelf = try makeShelf(for: place)
        let made = KnownShelf(shelf: shelf, name: place.name, made: Int64(Clock.secondsSinceReferenceDate))
        return try write { (writer) throws(Refusal) in try engine.shelves.keep(shelf: made, in: writer) }
    }

    private func makeShelf(for place: ShelfPlace) throws(Refusal) -> Shelf {
        do throws(Refusal) {
            return try guarding(.ofNew(place.binding.control), name: place.name) { (context) throws(Refusal) in
                try engine.enclave.makeShelf(place.protection, place.binding, in: context)
            }
        } catch {
            // Later files of the class do not need an unlocked keychain.
            guard error.rule == .locked, place.protection == .completeUnlessOpen else { throw error }
            throw .firstOfClass
        }
    }

    private func delete(
        _ shelf: KnownShelf, everywhere: Bool, _ entry: inout AuditLog.Entry
    ) throws(Refusal) {
        entry.name(shelf.shelf.key.binding.group)
        try AccessPolicy.authorize(shelf.shelf, from: caller)
        try write { (writer) throws(Refusal) in
            guard everywhere || !writer.isInCircle || !shelf.shelf.travels else { throw .losesFilesElsewhere }
            try engine.shelves.delete(shelf.shelf.id, in: writer)
        }
    }

    private func write<Result>(
        _ body: (StoreWriter) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let outcome: Swift.Result<Result, Refusal> = engine.exclusively { writer in
            do throws(Refusal) {
                var result: Result?
                writer.store.owner = try writer.store.digester.owner(caller.owner)
                try writer.store.transaction { () throws(Refusal) in result = try body(writer.store) }
                return result.map { .success($0) } ?? .failure(.expired)
            } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    // MARK: - Access controls

    private func guarding<Result>(
        _ shelf: KnownShelf, _ body: (AuthenticationContext?) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let key = shelf.shelf.key
        let guarded = ItemGuard(identifier: key.guardIdentifier, flags: key.binding.control)
        return try guarding(guarded, name: shelf.name, body)
    }

    private func guarding<Result>(
        _ guarded: @autoclosure () -> ItemGuard, name: String,
        _ body: (AuthenticationContext?) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        do throws(Refusal) { return try body(gate?.context) } catch {
            if error.status == .authNeeded {
                try gate?.addMissing(error, guarded(), .allow, name: { name })
            }
            throw error
        }
    }
}

extension Refusal {
    fileprivate static let firstOfClass = Refusal(
        .interactionNotAllowed, .locked, "class",
        "The first file of class B makes the shelf of its group, and the keychain is locked.",
        do: "Unlock it with `security unlock-keychain`. Further files of the class are made while it is locked.")
    fileprivate static let otherClass = Refusal(
        .decode, .damagedFile, "class", "The file's header names another class than the shelf that wrapped its key.",
        do: "Restore the file from a copy.")

    fileprivate static let losesFilesElsewhere = Refusal(
        .param, .losesFiles, "shelf",
        "Other machines of the circle may have the shelf: it goes there, too, and none of its files opens any more.",
        do: "Confirm: `security file delete-shelf -f`.")
}
