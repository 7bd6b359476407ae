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

    var place: ShelfPlace { ShelfPlace(shelf.protection, shelf.key.binding, name: name) }
    var description: ShelfDescription { ShelfDescription(id: shelf.id, place: place, made: made) }
}

/// Finds shelves, and seals their records under a key made of the index key: their groups and names are no more
/// readable than those of items are, and known while the keychain is locked.
///
///     sealed       = box(registry key, "shelf" id:16, record)
///     record       = 1:u8 0:u8 0:u16 made:i64 name:text sealedKey
///     registry key = HKDF-SHA256(index key, info "keychain shelves", 32)
///     place        = HMAC-SHA256(index key, "sh" protection:u8 class:u8 control:u64 group:text name:text)[0 ..< 16]
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

    /// Adds a shelf of a backup. One that is here already keeps its keys.
    ///
    /// - Returns: the shelf with its id that was here; nil when there was none.
    func keep(restored made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        try lock.withLock { (_) throws(Refusal) in try unsafe book.keep(restored: made, in: writer) }
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
        try writer.add(try sealer.seal(made), at: try sealer.digest(of: made.place), made: made.made)
        return made
    }

    /// Of a place, the shelf that came first takes new files: one whose keys others may know takes no other's part.
    func keep(restored made: KnownShelf, in writer: StoreWriter) throws(Refusal) -> KnownShelf? {
        if let found = try writer.shelves.shelf(made.shelf.id) { return try sealer.open(found) }
        try ShelfLimits.checkAll(try writer.countShelves().all)
        let now = Int64(Clock.secondsSinceReferenceDate)
        try writer.add(try sealer.seal(made), at: try sealer.digest(of: made.place), made: now)
        return nil
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

/// Seals and opens the records of shelves.
private final class ShelfSealer {
    private let cipher: AESGCM
    private let mac: KeyedDigest
    private static let context = Array("shelf".utf8)
    private static let info = Array("keychain shelves".utf8)

    init(_ indexKey: SecretBytes) throws(Refusal) {
        do throws(CryptoError) {
            let key = try indexKey.withSpan { (bytes) throws(CryptoError) in
                try HKDF.derive(from: bytes, salt: [UInt8]().span, info: Self.info.span, count: AESGCM.keySize)
            }
            cipher = try key.withSpan { (bytes) throws(CryptoError) in try AESGCM(key: bytes) }
            mac = try indexKey.withSpan { (bytes) throws(CryptoError) in try KeyedDigest(key: bytes) }
        } catch { throw .cryptography(error) }
    }

    func seal(_ shelf: KnownShelf) throws(Refusal) -> SealedShelf {
        let buffer = SecretBuffer(capacity: 512)
        for byte in [1, 0, 0, 0] as [UInt8] { buffer.append(byte) }
        buffer.append(littleEndian: shelf.made)
        buffer.append(text: shelf.name)
        shelf.shelf.key.append(to: buffer)
        do throws(CryptoError) {
            let aad = Self.context + shelf.shelf.id.bytes
            let sealed = try buffer.withSpan { (bytes) throws(CryptoError) in try cipher.seal(bytes, aad: aad.span) }
            return SealedShelf(id: shelf.shelf.id, sealed: sealed)
        } catch { throw .cryptography(error) }
    }

    /// - Throws: `errSecDecode` (`store.damaged`) for a record that is not as it was written.
    func open(_ sealed: SealedShelf) throws(Refusal) -> KnownShelf {
        let buffer = SecretBuffer(capacity: 512)
        let aad = Self.context + sealed.id.bytes
        do throws(CryptoError) { try cipher.open(sealed.sealed.span, aad: aad.span, into: buffer) } catch {
            throw error == .authenticationFailed || error == .boxTooShort ? .damagedShelf : .cryptography(error)
        }
        do throws(Refusal) { return try read(buffer.finish(), of: sealed.id) } catch { throw .damagedShelf }
    }

    private func read(_ record: SecretBytes, of id: ShelfID) throws(Refusal) -> KnownShelf {
        var reader = WireReader(record)
        guard try reader.integer(UInt32.self) == 1 else { throw .damagedShelf }
        let (made, name) = (try reader.integer(Int64.self), try reader.text())
        return KnownShelf(shelf: try Shelf(id: id, key: try SealedKey(from: &reader)), name: name, made: made)
    }

    func first(at place: ShelfPlace, in reader: ShelfReader) throws(Refusal) -> KnownShelf? {
        try reader.first(at: try digest(of: place)).map { (sealed) throws(Refusal) in
            let found = try open(sealed)
            // The digest is not bound to the record, which is.
            guard found.place == place else { throw .damagedShelf }
            return found
        }
    }

    func digest(of place: ShelfPlace) throws(Refusal) -> ColumnDigest {
        let message = SecretBuffer(capacity: 512)
        for byte in Array("sh".utf8) { message.append(byte) }
        message.append(place.protection.rawValue)
        message.append(place.binding.accessibility.rawValue)
        message.append(littleEndian: place.binding.control)
        message.append(text: place.binding.group)
        message.append(text: place.name)
        do throws(CryptoError) {
            try message.withSpan { (span) throws(CryptoError) in try mac.update(span) }
            return try mac.finishShort()
        } catch { throw .cryptography(error) }
    }
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
        "The shelf that wrapped the file's key is not in this keychain: it was deleted, or the file is of another one.",
        do: "Open the file with the keychain that made it, or restore that keychain.")

    fileprivate static let damagedShelf = Refusal(
        .decode, .damaged, "shelf", "The record of a shelf in the store is not as it was written.",
        do: "Restore a snapshot of the store. The files themselves may be whole.")
}
