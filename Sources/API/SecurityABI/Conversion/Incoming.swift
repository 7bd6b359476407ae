internal import CSecurity
internal import KeychainModel
internal import Security

// Arguments from C are copied into Foundation's own objects first. A dictionary made by Core Foundation crashes when
// Swift asks it for a key: swift-corelibs-foundation passes the address of a freed key. The copies hold the caller's
// numbers, dates, data and references, which are safe.

/// A copy of a dictionary.
///
/// - Throws: `errSecParam` for NULL, for an object of another type, and for a dictionary that is nested too deeply.
func dictionary(_ reference: Reference?) throws(Refusal) -> NSDictionary {
    guard let dictionary = try unsafe optionalDictionary(reference) else { throw .unusable("NULL", "a dictionary") }
    return dictionary
}

/// A copy of a dictionary that may be NULL; throws as ``dictionary(_:)``.
func optionalDictionary(_ reference: Reference?) throws(Refusal) -> NSDictionary? {
    guard let value = try unsafe optionalValue(reference) else { return nil }
    if let dictionary = value as? NSDictionary { return dictionary }
    throw .unusable("an object of another type", "a dictionary")
}

/// A copy of an array.
///
/// - Throws: `errSecParam` for NULL, for an object of another type, and for an array that is nested too deeply.
func array(_ reference: Reference?) throws(Refusal) -> NSArray {
    guard let array = try unsafe optionalArray(reference) else { throw .unusable("NULL", "an array") }
    return array
}

/// A copy of an array that may be NULL; throws as ``array(_:)``.
func optionalArray(_ reference: Reference?) throws(Refusal) -> NSArray? {
    guard let value = try unsafe optionalValue(reference) else { return nil }
    if let array = value as? NSArray { return array }
    throw .unusable("an object of another type", "an array")
}

/// A copy of a string.
///
/// - Throws: `errSecParam` for NULL and for an object of another type.
func string(_ reference: Reference?) throws(Refusal) -> NSString {
    let given: NSString = try unsafe borrowed(reference)
    return NSString(string: given as String)
}

/// A copy of a string that may be NULL; throws as ``string(_:)``.
func optionalString(_ reference: Reference?) throws(Refusal) -> NSString? {
    unsafe reference == nil ? nil : try unsafe string(reference)
}

/// Any object, copied where it is a string or a collection.
///
/// - Throws: `errSecParam` for NULL, and for an object that is nested too deeply.
func value(_ reference: Reference?) throws(Refusal) -> AnyObject {
    guard let value = try unsafe optionalValue(reference) else { throw .unusable("NULL", "an object") }
    return value
}

/// Any object or NULL, copied where it is a string or a collection; throws as ``value(_:)``.
func optionalValue(_ reference: Reference?) throws(Refusal) -> AnyObject? {
    guard let reference = unsafe reference else { return nil }
    return try unsafe copy(of: reference, depth: 0)
}

/// More levels than any dictionary needs. Without a limit, a dictionary that contains itself would end the process.
private let deepest = 16

private func copy(of reference: Reference, depth: Int) throws(Refusal) -> AnyObject {
    guard depth < deepest else { throw .unusable("nested more than \(deepest) levels deep", "a flatter dictionary") }
    switch unsafe CFObjectGetKind(reference) {
    case CFObjectKindDictionary: return try unsafe copyOfDictionary(reference, depth: depth)
    case CFObjectKindArray: return try unsafe copyOfArray(reference, depth: depth)
    case CFObjectKindString: return try unsafe string(reference)
    case CFObjectKindUUID: return unsafe copyOfUUID(reference)
    default: return unsafe Unmanaged<AnyObject>.fromOpaque(reference).takeUnretainedValue()
    }
}

// A NULL entry could only be left out, and a query that says less finds more. It is refused, as is a duplicate key.
private func copyOfDictionary(_ dictionary: Reference, depth: Int) throws(Refusal) -> NSDictionary {
    let entries = unsafe Entries(of: dictionary)
    var (keys, values): ([NSObject], [AnyObject]) = ([], [])
    for index in unsafe 0..<entries.count {
        keys.append(try unsafe copyOfKey(entries.keys[index], depth: depth + 1))
        values.append(try unsafe copyOfElement(entries.values[index], of: "dictionary", depth: depth + 1))
    }
    let copy = unsafe keys.withUnsafeBufferPointer { keys in
        unsafe values.withUnsafeBufferPointer { values in
            unsafe NSDictionary(objects: values.baseAddress, forKeys: keys.baseAddress, count: keys.count)
        }
    }
    guard copy.count == keys.count else { throw .unusable("a dictionary with the same key twice", "each key once") }
    return copy
}

private func copyOfKey(_ key: Reference?, depth: Int) throws(Refusal) -> NSObject {
    if let copy = try unsafe copyOfElement(key, of: "dictionary", depth: depth) as? NSObject { return copy }
    throw .unusable("a key that no dictionary can have", "a constant")
}

private func copyOfArray(_ array: Reference, depth: Int) throws(Refusal) -> NSArray {
    let elements = unsafe elements(of: array)
    var copies: [AnyObject] = []
    for index in unsafe elements.indices {
        copies.append(try unsafe copyOfElement(elements[index], of: "array", depth: depth + 1))
    }
    return unsafe copies.withUnsafeBufferPointer { unsafe NSArray(objects: $0.baseAddress, count: $0.count) }
}

private func copyOfElement(_ element: Reference?, of collection: String, depth: Int) throws(Refusal) -> AnyObject {
    guard let element = unsafe element else { throw .unusable("NULL in a \(collection)", "an object, or leave it out") }
    return try unsafe copy(of: element, depth: depth)
}

private func copyOfUUID(_ uuid: Reference) -> NSUUID {
    var bytes = [UInt8](repeating: 0, count: 16)
    unsafe CFObjectGetBytesOfUUID(uuid, &bytes)
    return unsafe NSUUID(uuidBytes: bytes)
}
