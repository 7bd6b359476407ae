// Keys and values cross these functions as unretained object addresses, as in C. Reading uses the C functions, which
// return the stored object: Foundation's accessors would return the address of a bridged copy that is freed at once.
// Making a collection uses Foundation: a native `CFDictionary` crashes Swift callers (see `CFDictionary`).

/// How a dictionary treats its keys. Dictionaries here always retain them and compare them by content.
public struct CFDictionaryKeyCallBacks: Sendable {}
/// How a dictionary treats its values. Dictionaries here always retain them.
public struct CFDictionaryValueCallBacks: Sendable {}
/// How an array treats its values. Arrays here always retain them.
public struct CFArrayCallBacks: Sendable {}

// Variables, because programs pass them by address; nothing ever reads or writes them.

/// The callbacks for keys that are objects.
@safe nonisolated(unsafe) public var kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The callbacks for values that are objects.
@safe nonisolated(unsafe) public var kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()
/// The callbacks for array elements that are objects.
@safe nonisolated(unsafe) public var kCFTypeArrayCallBacks = CFArrayCallBacks()

// MARK: - Dictionaries

/// Makes a dictionary of `count` keys and values; of two equal keys the later one counts.
public func CFDictionaryCreate(
    _ allocator: CFAllocator!, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>!,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ count: CFIndex,
    _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFDictionary! {
    let entries = NSMutableDictionary()
    for index in 0..<count { unsafe CFDictionarySetValue(entries, keys[index], values[index]) }
    return entries.copy() as? NSDictionary
}

/// Makes an empty dictionary that can be changed; `capacity` is a hint.
public func CFDictionaryCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ keyCallBacks: UnsafePointer<CFDictionaryKeyCallBacks>!,
    _ valueCallBacks: UnsafePointer<CFDictionaryValueCallBacks>!
) -> CFMutableDictionary! {
    NSMutableDictionary()
}

/// Makes a copy of a dictionary that can be changed.
public func CFDictionaryCreateMutableCopy(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ dictionary: CFDictionary!
) -> CFMutableDictionary! {
    dictionary.mutableCopy() as? NSMutableDictionary
}

/// Returns the number of entries.
public func CFDictionaryGetCount(_ dictionary: CFDictionary!) -> CFIndex { dictionary.count }

/// Returns the value of a key, or nil. The dictionary keeps owning it.
@_silgen_name("CFDictionaryGetValue")
public func CFDictionaryGetValue(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> UnsafeRawPointer!

/// Returns whether there is an entry for a key.
public func CFDictionaryContainsKey(_ dictionary: CFDictionary!, _ key: UnsafeRawPointer!) -> Bool {
    unsafe CFDictionaryGetValue(dictionary, key) != nil
}

/// Sets the value of a key, whether or not there was one.
@_silgen_name("CFDictionarySetValue")
public func CFDictionarySetValue(
    _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!)

/// Sets the value of a key that has none; does nothing for a key that has one.
public func CFDictionaryAddValue(
    _ dictionary: CFMutableDictionary!, _ key: UnsafeRawPointer!, _ value: UnsafeRawPointer!
) {
    guard unsafe !CFDictionaryContainsKey(dictionary, key) else { return }
    unsafe CFDictionarySetValue(dictionary, key, value)
}

// MARK: - Arrays

/// Makes an array of `count` values.
public func CFArrayCreate(
    _ allocator: CFAllocator!, _ values: UnsafeMutablePointer<UnsafeRawPointer?>!, _ count: CFIndex,
    _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFArray! {
    let elements = NSMutableArray()
    for index in 0..<count { unsafe CFArrayAppendValue(elements, values[index]) }
    return elements.copy() as? NSArray
}

/// Makes an empty array that can be changed; `capacity` is a hint.
public func CFArrayCreateMutable(
    _ allocator: CFAllocator!, _ capacity: CFIndex, _ callBacks: UnsafePointer<CFArrayCallBacks>!
) -> CFMutableArray! {
    NSMutableArray()
}

/// Returns the number of elements.
public func CFArrayGetCount(_ array: CFArray!) -> CFIndex { array.count }

/// Returns the element at an index, which must exist. The array keeps owning it.
@_silgen_name("CFArrayGetValueAtIndex")
public func CFArrayGetValueAtIndex(_ array: CFArray!, _ index: CFIndex) -> UnsafeRawPointer!

/// Appends an element.
@_silgen_name("CFArrayAppendValue")
public func CFArrayAppendValue(_ array: CFMutableArray!, _ value: UnsafeRawPointer!)

// Foundation on Apple systems does the following, Foundation on Linux does not. Programs with a keychain rely on it.

extension NSString: @retroactive _HasCustomAnyHashableRepresentation {
    /// Makes `AnyHashable("a" as NSString)` equal `AnyHashable("a")`, so that a result cast to `[AnyHashable: Any]` is
    /// found under a `kSec…` key. This holds for the whole process, as it does on Apple systems.
    public func _toCustomAnyHashable() -> AnyHashable? { AnyHashable(String(describing: self)) }
}

extension NSMutableDictionary {
    /// Sets the value of a key that is an object, such as a `kSec…` constant.
    @_disfavoredOverload
    public func setObject(_ value: Any, forKey key: any NSCopying) {
        guard let object = key as? NSObject else { return }
        setObject(value, forKey: object as AnyHashable)
    }

    /// Sets the value of a key, or removes the entry when the value is nil.
    @_disfavoredOverload
    public func setValue(_ value: Any?, forKey key: String) {
        guard let value else { return removeObject(forKey: NSString(string: key)) }
        setObject(value, forKey: key as AnyHashable)
    }
}
