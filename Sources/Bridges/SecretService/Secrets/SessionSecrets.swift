import Glibc
import KeychainModel
import LinuxSystem

/// The items of the collection that is kept in memory and ends with the bridge.
final class SessionSecrets {
    private var items: [String: Stored] = [:]
    private var last = 0
    /// When it came into being, in seconds since 1970.
    let created = SessionSecrets.now

    private struct Stored {
        var item: SecretItem
        var value: SecretBytes
        /// The process that has added it.
        let owner: String
    }

    /// The most items, and the most memory of their values, in bytes. Half of both is for one process, so that none
    /// leaves nothing to others.
    let capacity, bytes: Int

    init(capacity: Int = 2_000, bytes: Int = 64 << 20) { (self.capacity, self.bytes) = (capacity, bytes) }

    /// Those of an application in a sandbox: there may be many applications.
    static var inSandbox: SessionSecrets { SessionSecrets(capacity: 250, bytes: 8 << 20) }

    /// All items, the newest first.
    var all: [SecretItem] { items.values.map(\.item).sorted { $0.created > $1.created } }

    func value(of item: SecretItem) -> SecretBytes { items[item.name]?.value ?? SecretBytes(count: 0) }

    /// Adds an item and gives its name; nil when there are too many, or their values too large.
    func add(label: String, _ lookup: LookupAttributes, _ value: SecretBytes, by owner: String) -> String? {
        let own = items.values.filter { $0.owner == owner }.count
        guard items.count < capacity, own < capacity / 2, hasRoom(for: value.count, by: owner)
        else { return nil }
        last += 1
        let now = Self.now
        let item = SecretItem(
            name: String(last), collection: SecretCollection.session, label: label, lookup: lookup, created: now,
            modified: now)
        items[item.name] = Stored(item: item, value: value, owner: owner)
        return item.name
    }

    private func hasRoom(for count: Int, by owner: String) -> Bool {
        var (all, own) = (count, count)
        for stored in items.values {
            all += stored.value.count
            if stored.owner == owner { own += stored.value.count }
        }
        return all <= bytes && own <= bytes / 2
    }

    /// Changes an item; false when the new value is too large for the rest. A value that takes no more room than
    /// the old one always fits.
    func change(_ item: SecretItem, _ change: SecretChange, value: SecretBytes?) -> Bool {
        guard var stored = items[item.name] else { return true }
        let more = (value?.count ?? 0) - stored.value.count
        guard value == nil || more <= 0 || hasRoom(for: more, by: stored.owner) else { return false }
        stored.item.label = change.label ?? stored.item.label
        stored.item.lookup = change.lookup ?? stored.item.lookup
        stored.item.modified = Self.now
        stored.value = value ?? stored.value
        items[item.name] = stored
        return true
    }

    func delete(_ item: SecretItem) { items[item.name] = nil }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
