import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// A shelf with its name.
struct KnownShelf: Sendable {
    let shelf: Shelf
    let name: String
    /// Seconds since 2001.
    let made: Int64
    /// Whether another machine of a circle has made it, or a backup has brought it to a place that had a shelf. Its
    /// maker may want to read what it takes: no new file goes into it.
    var isOfOther = false

    var place: ShelfPlace { ShelfPlace(shelf.protection, shelf.key.binding, name: name) }
    var description: ShelfDescription { ShelfDescription(id: shelf.id, place: place, made: made) }
}

/// Finds shelves, and seals their records under a key made of the index key: their groups and names are no more
/// readable than those of items are, and known while the keychain is locked.
///
///     sealed       = box(registry key, "shelf" id:16, record)
///     record       = 1:u8 isOfOther:u8 0:u16 made:i64 name:text sealedKey
///     registry key = HKDF-SHA256(index key, info "keychain shelves", 32)
///     tombstone    = box(registry key, "shelf gone" id:16, nothing)
///     place        = HMAC-SHA256(index key, "sh" protection:u8 class:u8 control:u64 group:text name:text)[0 ..< 16]
///                    ; empty for a shelf of another machine
///
/// It has a connection of its own from its first use on. Any thread may use it.
final class ShelfRegistry: Sendable {
    private let lock = Lock(())
    /// Only the thread that has taken the lock touches it.
    private nonisolated(unsafe) let book: ShelfBook

    init(_ store: ItemStore, _ indexKey: SecretBytes) throws(Refusal) {
        unsafe book = try ShelfBook(store, indexKey)
    }

    /// Whether the descriptors of its connection are still its own.
    var hasItsDescriptors: Bool { lock.withLock { _ in unsafe book.hasItsDescriptors } }

    /// The shelf with this id.
    ///
    /// - Throws: `errSecItemNotFound` (`file.no-shelf`).
    func shelf(_ id: ShelfID) throws(Refusal) -> KnownShelf {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.shelf(id) }
    }

    /// The shelf that takes new files of a place; nil when there is none.
    func shelf(at place: ShelfPlace) throws(Refusal) -> KnownShelf? {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.shelf(at: place) }
    }

    /// Finds the shelf of a place in the open transaction, or adds the one that was made for it.
    func keep(shelf made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.keep(shelf: made, in: writer) }
    }

    /// The shelf with the id of one that a backup has; nil for none, and for a damaged one.
    func occupant(_ id: ShelfID) throws(Refusal) -> KnownShelf? {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.occupant(id) }
    }

    /// Adds a shelf of a backup. One that is here already keeps its keys, unless its record is damaged. It takes no new
    /// files where its place has another shelf, whole or not: the backup may be of somebody who knows its keys.
    ///
    /// - Returns: the shelf with its id that was here; nil for none, and for a damaged one.
    func keep(restored made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.keep(restored: made, in: writer) }
    }

    /// A shelf that other machines of a circle may have, in the open transaction; nil for one that stays, that does not
    /// open, or that is not there.
    func travelling(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.travelling(id, in: writer) }
    }

    /// Whether a shelf is there that other machines of a circle never get; false for one that does not open.
    func stays(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.stays(id, in: writer) }
    }

    /// Whether a shelf is there whose record is not as anybody with the key has written it.
    func hasDamage(at id: ShelfID) throws(Refusal) -> Bool {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.hasDamage(at: id) }
    }

    /// The same in the open transaction.
    func isDamaged(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.isDamaged(id, in: writer) }
    }

    /// Whether a shelf was deleted that other machines of a circle may have.
    func isDeleted(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.isDeleted(id, in: writer) }
    }

    /// Adds a shelf of another machine of the circle. It takes no new files. One that is here already keeps its keys,
    /// unless its record is damaged.
    func keep(arrived made: KnownShelf, in writer: StoreWriter) throws(Refusal) {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.keep(arrived: made, in: writer) }
    }

    /// Deletes a shelf for good, and tells the other machines of a circle that may have it.
    func delete(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.delete(id, in: writer) }
    }

    /// Deletes a shelf, and keeps its tombstone. One that stays on this machine is nobody else's to delete.
    func bury(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.bury(id, in: writer) }
    }

    /// The shelves behind an id as they are stored, a page of them; nil for a damaged record.
    ///
    /// - Parameter reader: of a copy of the store; nil for the store itself.
    /// - Throws: a failure that is not the record's: whether that is damaged is not known.
    func records(
        after id: ShelfID?, in reader: ShelfReader? = nil
    ) throws(Refusal) -> [(id: ShelfID, shelf: KnownShelf?)] {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.records(after: id, in: reader) }
    }

    /// The shelves behind an id that somebody may see, a page of them.
    func page(after id: ShelfID?, where isVisible: (KnownShelf) -> Bool) throws(Refusal) -> [ShelfDescription] {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.page(after: id, where: isVisible) }
    }
}

/// The work of ``ShelfRegistry``. Belongs to one thread at a time.
private final class ShelfBook {
    private let store: ItemStore
    private let sealer: ShelfSealer
    private var opened: ShelfReader?

    init(_ store: ItemStore, _ indexKey: SecretBytes) throws(Refusal) {
        (self.store, sealer) = (store, try ShelfSealer(indexKey))
    }

    var hasItsDescriptors: Bool { opened?.hasItsDescriptors ?? true }

    /// The connection. Its descriptors are looked at: a program that has the keychain inside may have closed them.
    private func reader() throws(Refusal) -> ShelfReader {
        if let failure = store.failure.first { throw failure }
        guard let opened else {
            let made = try store.makeShelfReader()
            opened = made
            return made
        }
        if !store.hasItsDescriptor || !opened.hasItsWholeFiles,
            let failure = store.failureOfUse ?? opened.failureOfUse
        {
            throw store.fail(failure)
        }
        return opened
    }

    func shelf(_ id: ShelfID) throws(Refusal) -> KnownShelf {
        guard let sealed = try reader().shelf(id) else { throw .noShelf }
        return try sealer.open(sealed)
    }

    func shelf(at place: ShelfPlace) throws(Refusal) -> KnownShelf? { try sealer.first(at: place, in: try reader()) }

    func keep(shelf made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf {
        // Another request may have been faster.
        if let found = try sealer.first(at: made.place, in: writer.shelves) { return found }
        try ShelfLimits.check(try writer.countShelves())
        try add(made, made: made.made, in: writer)
        if made.shelf.travels { try writer.mark(made.shelf.id, isTombstone: false) }
        return made
    }

    /// - Parameter second: when it came into this store.
    private func add(_ shelf: KnownShelf, made second: Int64, in writer: StoreWriter) throws(Refusal) {
        try writer.dropTombstone(of: shelf.shelf.id)
        let place = shelf.isOfOther ? nil : try sealer.digest(of: shelf.place)
        try writer.add(try sealer.seal(shelf), at: place, made: second)
    }

    func occupant(_ id: ShelfID) throws(Refusal) -> KnownShelf? { try occupant(id, in: try reader()) }

    private func occupant(_ id: ShelfID, in reader: ShelfReader) throws(Refusal) -> KnownShelf? {
        guard let sealed = try reader.shelf(id), try sealer.isAuthentic(sealed) else { return nil }
        return try sealer.open(sealed)
    }

    func keep(restored made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        if let found = try occupant(made.shelf.id, in: writer.shelves) { return found }
        // Perhaps a damaged one.
        try writer.delete(made.shelf.id)
        var made = made
        if try hasRow(at: made.place, in: writer) { made.isOfOther = true }
        try ShelfLimits.checkAll(
            made.isOfOther ? try writer.countShelvesOfOthers() : try writer.countShelves().all)
        try add(made, made: Int64(Clock.secondsSinceReferenceDate), in: writer)
        if made.shelf.travels { try writer.mark(made.shelf.id, isTombstone: false) }
        return nil
    }

    private func hasRow(at place: ShelfPlace, in writer: StoreWriter) throws(Refusal) -> Bool {
        var found = false
        try writer.shelves.shelves(at: try sealer.digest(of: place)) { (_) throws(Refusal) in
            found = true
            return false
        }
        return found
    }

    // MARK: - In a circle

    /// - Returns: nil for one that does not open, and for none.
    private func opened(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        guard let sealed = try writer.shelves.shelf(id) else { return nil }
        return try unlessDamaged { () throws(Refusal) in try sealer.open(sealed) }
    }

    func travelling(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        try opened(id, in: writer).flatMap { $0.shelf.travels ? $0 : nil }
    }

    func stays(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        try opened(id, in: writer)?.shelf.travels == false
    }

    func hasDamage(at id: ShelfID) throws(Refusal) -> Bool { try hasDamage(at: id, in: try reader()) }

    func isDamaged(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        try hasDamage(at: id, in: writer.shelves)
    }

    private func hasDamage(at id: ShelfID, in reader: ShelfReader) throws(Refusal) -> Bool {
        try reader.shelf(id).map { (sealed) throws(Refusal) in try !sealer.isAuthentic(sealed) } ?? false
    }

    func isDeleted(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) -> Bool {
        guard let sealed = try writer.tombstone(of: id) else { return false }
        return try unlessDamaged { () throws(Refusal) in try sealer.open(tombstone: sealed) } != nil
    }

    func keep(arrived made: KnownShelf, in writer: StoreWriter) throws(Refusal) {
        if try writer.shelves.shelf(made.shelf.id) != nil {
            guard try isDamaged(made.shelf.id, in: writer) else { return }
            try writer.delete(made.shelf.id)
        }
        var arrived = made
        arrived.isOfOther = true
        try add(arrived, made: Int64(Clock.secondsSinceReferenceDate), in: writer)
    }

    func delete(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) {
        guard writer.isInCircle, try travelling(id, in: writer) != nil else { return try writer.delete(id) }
        try bury(id, in: writer)
        try writer.mark(id, isTombstone: true)
    }

    func bury(_ id: ShelfID, in writer: StoreWriter) throws(Refusal) {
        guard try !stays(id, in: writer) else { return }
        try writer.delete(id)
        try writer.keep(tombstone: try sealer.seal(tombstoneOf: id))
    }

    func records(
        after id: ShelfID?, in other: ShelfReader?
    ) throws(Refusal) -> [(id: ShelfID, shelf: KnownShelf?)] {
        var found: [(id: ShelfID, shelf: KnownShelf?)] = []
        let reader = if let other { other } else { try reader() }
        try reader.shelves(after: id) { (sealed) throws(Refusal) in
            let shelf = try unlessDamaged { () throws(Refusal) in try sealer.open(sealed) }
            found.append((sealed.id, shelf))
            return found.count < ShelfLimits.recordsInPage
        }
        return found
    }

    func page(after id: ShelfID?, where isVisible: (KnownShelf) -> Bool) throws(Refusal) -> [ShelfDescription] {
        var found: [ShelfDescription] = []
        var bytes = 0
        try reader().shelves(after: id) { (sealed) throws(Refusal) in
            // One that does not open hides only itself.
            let opened = try unlessDamaged { () throws(Refusal) in try sealer.open(sealed) }
            guard let shelf = opened, isVisible(shelf) else { return true }
            found.append(shelf.description)
            bytes += 64 + shelf.name.utf8.count + shelf.shelf.key.binding.group.utf8.count
            return bytes < WireLimits.pageBytes
        }
        return found
    }
}

/// How many shelves there may be: each has a row of some hundred bytes, and is looked at when they are listed.
enum ShelfLimits {
    /// Of this machine, and besides as many that came from others: these take no room from programs.
    static let all: Int64 = 100_000
    static let ofProgram: Int64 = 10_000
    /// How many are looked at while files wait for theirs.
    static let recordsInPage = 64

    static func check(_ count: (all: Int64, owner: Int64)) throws(Refusal) {
        guard count.all >= all || count.owner >= ofProgram else { return }
        throw Refusal(
            .diskFull, .quota, "shelves",
            "The keychain has \(count.all) shelves for files, \(count.owner) of them of this program; \(all) and "
                + "\(ofProgram) are allowed.",
            do: "Delete shelves whose files are not needed.")
    }

    /// Shelves of a backup are no program's.
    static func checkAll(_ count: Int64) throws(Refusal) { try check((count, 0)) }
}

/// Nil where the record that is opened is damaged; any other failure says nothing of the record.
func unlessDamaged<Record>(_ open: () throws(Refusal) -> Record) throws(Refusal) -> Record? {
    do throws(Refusal) { return try open() } catch {
        guard error.status == .decode else { throw error }
        return nil
    }
}

extension Refusal {
    static let noShelf = Refusal(
        .itemNotFound, .noShelf, "shelf",
        "The shelf that wrapped the file's key is not in this keychain: it was deleted, it stays on another device, or "
            + "the file is of another keychain.",
        do: "Open the file with the keychain that made it, or restore that keychain.")
}
