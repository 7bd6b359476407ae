internal import KeychainModel
internal import LinuxSystem

/// Reading a program's dictionaries.
extension ItemRequest {
    /// Makes a request of the dictionaries a `SecItem` function was given.
    init(_ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        try dictionary.forEachEntry { (key, value) throws(Refusal) in
            if let data = value as? NSData { return try builder.set(key, data: data) }
            try builder.set(key, RawValue(value))
        }
        try changes?.forEachEntry { (key, value) throws(Refusal) in
            if let data = value as? NSData { return try builder.change(key, data: data) }
            try builder.change(key, RawValue(value))
        }
        self = try builder.build()
    }
}

extension ItemRequestBuilder {
    fileprivate mutating func set(_ key: String, data: NSData) throws(Refusal) {
        let bytes = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
        try unsafe set(key, data: bytes.assumingMemoryBound(to: UInt8.self).span)
        extendLifetime(data)
    }

    fileprivate mutating func change(_ key: String, data: NSData) throws(Refusal) {
        let bytes = UnsafeRawBufferPointer(start: data.bytes, count: data.length)
        try unsafe change(key, data: bytes.assumingMemoryBound(to: UInt8.self).span)
        extendLifetime(data)
    }
}

extension RawValue {
    /// What an object in a dictionary is to the keychain.
    init(_ object: AnyObject) {
        switch object {
        case let text as NSString: self = .string(text as String)
        case let number as NSNumber: self = Self.numberOrBoolean(number)
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let control as SecAccessControl: self = .data(control.encoded)
        case let uuid as NSUUID: self = .uuid(uuid.keychainBytes)
        case is NSNull: self = .null
        default: self = .other("\(type(of: object))")
        }
    }

    private static func numberOrBoolean(_ number: NSNumber) -> RawValue {
        CFGetTypeID(number) == CFBooleanGetTypeID() ? .boolean(number.boolValue) : .number(number.int64Value)
    }
}

extension SecAccessControl {
    /// The form in which it travels: the protection class, and the flags when there are any.
    fileprivate var encoded: [UInt8] {
        Array((flags.isEmpty ? protection : "\(protection);\(flags.rawValue)").utf8)
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

// swift-corelibs-foundation's dictionaries are Core Foundation's; its enumeration costs 20 times what this function does.
@_silgen_name("CFDictionaryGetKeysAndValues")
private func getKeysAndValues(
    _ dictionary: NSDictionary, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>)

extension NSDictionary {
    /// Visits all entries; a key that is not a string is refused.
    fileprivate func forEachEntry(_ visit: (String, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let ownType = type(of: self)
        guard ownType == NSDictionary.self || ownType == NSMutableDictionary.self else {
            return try NSDictionary(dictionary: self).forEachOwnEntry(visit)
        }
        try forEachOwnEntry(visit)
    }

    private func forEachOwnEntry(_ visit: (String, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let size = count
        var pointers = unsafe [UnsafeRawPointer?](repeating: nil, count: size * 2)
        unsafe pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe getKeysAndValues(self, start, start + size)
        }
        defer { extendLifetime(self) }
        for index in 0..<size {
            guard let key = unsafe pointers[index], let value = unsafe pointers[size + index] else { continue }
            try unsafe visit(try Self.text(Self.object(key)), Self.object(value))
        }
    }

    private static func object(_ pointer: UnsafeRawPointer) -> AnyObject {
        unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func text(_ key: AnyObject) throws(Refusal) -> String {
        if let text = key as? NSString { return text as String }
        throw Refusal(
            .param, .unknownKey, "key", "A key of the dictionary is not a string but \(RawValue(key).kindName).",
            do: "Use the kSec constants as keys.")
    }
}
