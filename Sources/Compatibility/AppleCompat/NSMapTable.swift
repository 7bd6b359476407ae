public import Foundation

/// A dictionary that may hold keys and values weakly. One thread at a time may use it, as on Apple systems.
///
/// An entry disappears with its key or value; ``count`` leaves it out.
open class NSMapTable<KeyType: AnyObject, ObjectType: AnyObject>: NSObject {
    private struct Entry {
        let key: HeldObject<KeyType>
        let value: HeldObject<ObjectType>
    }

    private let keyOptions: NSPointerFunctions.Options
    private let valueOptions: NSPointerFunctions.Options
    /// Entries by the hash of their key.
    private var entries: [Int: [Entry]] = [:]

    /// Makes an empty table.
    ///
    /// - Parameter capacity: a hint.
    public init(
        keyOptions: NSPointerFunctions.Options = .strongMemory,
        valueOptions: NSPointerFunctions.Options = .strongMemory,
        capacity: Int = 0
    ) {
        self.keyOptions = keyOptions
        self.valueOptions = valueOptions
    }

    /// Makes an empty table that retains keys and values.
    open class func strongToStrongObjects() -> NSMapTable { NSMapTable() }
    /// Makes an empty table that retains keys.
    open class func strongToWeakObjects() -> NSMapTable { NSMapTable(valueOptions: .weakMemory) }
    /// Makes an empty table that retains values.
    open class func weakToStrongObjects() -> NSMapTable { NSMapTable(keyOptions: .weakMemory) }
    /// Makes an empty table that retains neither keys nor values.
    open class func weakToWeakObjects() -> NSMapTable {
        NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory)
    }

    /// The value of a key, or nil.
    open func object(forKey key: KeyType?) -> ObjectType? {
        guard let key else { return nil }
        return bucket(of: key).first { isKey($0, key) }?.value.object
    }

    /// Sets the value of a key; a nil key or value changes nothing.
    open func setObject(_ object: ObjectType?, forKey key: KeyType?) {
        guard let key, let object else { return }
        let others = bucket(of: key).filter { !isKey($0, key) }
        let entry = Entry(key: HeldObject(key, keyOptions), value: HeldObject(object, valueOptions))
        entries[hash(of: key)] = others + [entry]
    }

    /// Removes the value of a key, if there is one.
    open func removeObject(forKey key: KeyType?) {
        guard let key else { return }
        let others = bucket(of: key).filter { !isKey($0, key) }
        entries[hash(of: key)] = others.isEmpty ? nil : others
    }

    /// Removes all entries.
    open func removeAllObjects() { entries = [:] }

    /// The number of entries.
    open var count: Int { living.count }

    /// The keys, in no order.
    open func keyEnumerator() -> NSEnumerator { NSArray(array: living.map(\.key)).objectEnumerator() }

    /// The values, in no order; nil when there are none.
    open func objectEnumerator() -> NSEnumerator? {
        let living = living
        return living.isEmpty ? nil : NSArray(array: living.map(\.value)).objectEnumerator()
    }

    /// The entries as a dictionary that retains them.
    open func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
        var dictionary: [AnyHashable: ObjectType] = [:]
        for (key, value) in living {
            guard let key = key as? NSObject else { continue }
            dictionary[key] = value
        }
        return dictionary
    }

    private var living: [(key: KeyType, value: ObjectType)] {
        entries.values.joined().compactMap { entry in
            guard let key = entry.key.object, let value = entry.value.object else { return nil }
            return (key, value)
        }
    }

    /// The entries that may be those of a key, without entries that have disappeared.
    private func bucket(of key: KeyType) -> [Entry] {
        (entries[hash(of: key)] ?? []).filter { $0.key.object != nil && $0.value.object != nil }
    }

    private func isKey(_ entry: Entry, _ key: KeyType) -> Bool {
        guard let other = entry.key.object else { return false }
        if other === key { return true }
        guard !keyOptions.contains(.objectPointerPersonality), let object = key as? NSObject else { return false }
        return object.isEqual(other)
    }

    private func hash(of key: KeyType) -> Int {
        let object = keyOptions.contains(.objectPointerPersonality) ? nil : key as? NSObject
        return object?.hash ?? ObjectIdentifier(key).hashValue
    }
}

/// An object that is retained, or is not.
private struct HeldObject<Object: AnyObject> {
    private let strong: Object?
    private weak var weakly: Object?

    init(_ object: Object, _ options: NSPointerFunctions.Options) {
        let copied = options.contains(.copyIn) ? (object as? NSObject)?.copy() as? Object : nil
        let object = copied ?? object
        weakly = object
        strong = options.contains(.weakMemory) ? nil : object
    }

    var object: Object? { weakly }
}
