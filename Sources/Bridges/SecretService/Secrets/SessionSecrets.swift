import Glibc
import KeychainModel
import LinuxSystem

/// The items of the collection that is kept in memory and ends with the bridge.
final class SessionSecrets {
    private var items: [String: (item: SecretItem, value: SecretBytes)] = [:]
    private var last = 0
    /// When it came into being, in seconds since 1970.
    let created = SessionSecrets.now

    /// The most items; a program that stores more is refused.
    static let capacity = 1_000

    /// All items, the newest first.
    var all: [SecretItem] { items.values.map(\.item).sorted { $0.created > $1.created } }

    func value(of item: SecretItem) -> SecretBytes { items[item.name]?.value ?? SecretBytes(count: 0) }

    /// Adds an item and gives its name; nil when there are too many.
    func add(label: String, _ lookup: LookupAttributes, _ value: SecretBytes) -> String? {
        guard items.count < Self.capacity else { return nil }
        last += 1
        let now = Self.now
        let item = SecretItem(
            name: String(last), collection: SecretCollection.session, label: label, lookup: lookup, created: now,
            modified: now)
        items[item.name] = (item, value)
        return item.name
    }

    func change(_ item: SecretItem, _ change: SecretChange, value: SecretBytes?) {
        guard case (var stored, let old)? = items[item.name] else { return }
        stored.label = change.label ?? stored.label
        stored.lookup = change.lookup ?? stored.lookup
        stored.modified = Self.now
        items[item.name] = (stored, value ?? old)
    }

    func delete(_ item: SecretItem) { items[item.name] = nil }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
