import KeychainModel
import LinuxSystem

/// A password of another program's, as an item of the keychain.
struct ImportedItem {
    let itemClass: ItemClass
    /// The attributes that are its primary key, all of them: one that is not named would be any.
    let place: [(code: String, value: RawValue)]
    /// The attributes that say more of it, but for its kind.
    let description: [(code: String, value: RawValue)]
    /// The name by which people know it.
    let name: String
    let password: SecretBytes

    /// The name, cut where it fills a line.
    var shownName: String { name.count > 60 ? "\(name.prefix(59))…" : name }

    /// The class and the primary key in bytes: what tells it from all other items.
    var identity: [UInt8] { Array("\(itemClass.code)\(place.map { "\($0)" })".utf8) }
}
