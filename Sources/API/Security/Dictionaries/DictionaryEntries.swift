internal import KeychainModel
internal import LinuxSystem

extension RawValue {
    /// The value of an object in a dictionary.
    init(_ object: __shared AnyObject) {
        // Most are strings or truth values. Comparing the class, or the object, costs a fraction of a cast.
        if type(of: object) == NSString.self {
            self = unsafe .string(unsafeDowncast(object, to: NSString.self) as String)
        } else if object === SharedObjects.yes {
            self = .boolean(true)
        } else {
            self = Self.cast(object)
        }
    }

    private static func cast(_ object: AnyObject) -> RawValue {
        switch object {
        case let text as NSString: .string(text as String)
        case let number as NSNumber: numberOrBoolean(number)
        case let date as NSDate: .date(date.timeIntervalSinceReferenceDate)
        case let control as SecAccessControl: control.content.map { .accessControl($0) } ?? .other("SecAccessControl")
        case let uuid as NSUUID: .uuid(uuid.keychainBytes)
        case is NSNull: .null
        default: .other("\(type(of: object))")
        }
    }

    private static func numberOrBoolean(_ number: NSNumber) -> RawValue {
        if CFGetTypeID(number) == CFBooleanGetTypeID() { return .boolean(number.boolValue) }
        // A fraction, or a number beyond 64 bits, has no meaning here.
        guard let whole = Int64(exactly: number) else { return .other("a number that is not whole") }
        return .number(whole)
    }
}

extension SecAccessControl {
    fileprivate var content: AccessControl? {
        Accessibility(code: protection).map { AccessControl($0, flags: givenFlags.map { UInt64($0.rawValue) }) }
    }
}

extension NSUUID {
    fileprivate var keychainBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            if let start = buffer.baseAddress { unsafe getBytes(start) }
        }
        return bytes
    }
}

// A dictionary of swift-corelibs-foundation is one of Core Foundation. Its enumeration costs 20 times as much as this
// function.
@_silgen_name("CFDictionaryGetKeysAndValues")
private func getKeysAndValues(
    _ dictionary: NSDictionary, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>)

extension NSDictionary {
    /// Visits all entries. A key that is not a string is refused.
    func forEachEntry(_ visit: (DictionaryKey, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let ownType = type(of: self)
        guard ownType == NSDictionary.self || ownType == NSMutableDictionary.self else {
            // A program's subclass stores its entries in its own way.
            for (key, value) in self { try visit(try Self.key(key as AnyObject), value as AnyObject) }
            return
        }
        try forEachOwnEntry(visit)
    }

    private func forEachOwnEntry(_ visit: (DictionaryKey, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let size = count
        defer { extendLifetime(self) }
        try unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: size * 2 + 1) {
            (pointers) throws(Refusal) in
            guard let start = pointers.baseAddress else { return }
            unsafe getKeysAndValues(self, start, start + size)
            for index in 0..<size {
                // Without the entry the query would say less and find more.
                guard let key = unsafe pointers[index], let value = unsafe pointers[size + index] else {
                    throw Self.nullEntry
                }
                try unsafe Self.lend(key) { (key) throws(Refusal) in
                    let key = try Self.key(key)
                    try unsafe Self.lend(value) { (value) throws(Refusal) in try visit(key, value) }
                }
            }
        }
    }

    /// Lends an object that the dictionary keeps alive, without counting a reference to it.
    private static func lend(
        _ pointer: UnsafeRawPointer, _ body: (AnyObject) throws(Refusal) -> Void
    ) throws(Refusal) {
        let outcome = unsafe Unmanaged<AnyObject>.fromOpaque(pointer)._withUnsafeGuaranteedRef { object in
            Result { () throws(Refusal) in try body(object) }
        }
        try outcome.get()
    }

    private static var nullEntry: Refusal {
        Refusal(
            .param, .wrongType, "key", "A key or a value of the dictionary is NULL.",
            do: "Give every key a value, or leave the key out.")
    }

    private static func key(_ key: AnyObject) throws(Refusal) -> DictionaryKey {
        if type(of: key) == NSString.self {
            return DictionaryKey(unsafe unsafeDowncast(key, to: NSString.self) as String)
        }
        if let text = key as? NSString { return DictionaryKey(text as String) }
        throw Refusal(
            .param, .unknownKey, "key", "A key of the dictionary is not a string but \(RawValue(key).kindName).",
            do: "Use the kSec constants as keys.")
    }
}
