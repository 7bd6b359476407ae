internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Reading a program's dictionaries.
extension ItemRequest {
    /// Makes a request of the dictionaries a `SecItem` function was given; what they say about asking the user goes into `use`.
    init(
        _ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil, use: inout AuthenticationUse
    ) throws(Refusal) {
        // Only a search has match keys; in any other request the rules refuse them.
        var matches = CertificateMatches()
        try self.init(operation, dictionary: dictionary, changes: changes, use: &use, matches: &matches)
    }

    /// As ``init(_:dictionary:changes:use:)``; what looks into certificates goes into `matches`.
    init(
        _ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil, use: inout AuthenticationUse,
        matches: inout CertificateMatches
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        var reference: (any ReferencedItem)?
        try dictionary.forEachEntry { (key, value) throws(Refusal) in
            if key.utf8.first == UInt8(ascii: "m") { try matches.take(key, value) }
            // Most values are strings: they are no reference and no data.
            if type(of: value) == NSString.self { return try builder.set(key, RawValue(value)) }
            if key == "u_AuthCtx", let context = value as? any AuthenticationContextSource {
                return use.context = context
            }
            if key == "v_Ref", let object = value as? any ReferencedItem { return reference = object }
            guard let data = value as? NSData else { return try builder.set(key, RawValue(value)) }
            try data.withSpan { (bytes) throws(Refusal) in try builder.set(key, givenData: bytes) }
        }
        if let reference { try builder.fill(from: reference, operation) }
        try changes?.forEachEntry { (key, value) throws(Refusal) in
            guard let data = value as? NSData else { return try builder.change(key, RawValue(value)) }
            try data.withSpan { (bytes) throws(Refusal) in try builder.change(key, data: bytes) }
        }
        use.reason = builder.operationPrompt
        self = try builder.build()
        use.ui = authenticationUI
    }
}

extension ItemRequestBuilder {
    /// Names of subjects and issuers are kept and sought in one form, whatever form they come in (semantics A.2).
    fileprivate mutating func set(_ key: String, givenData bytes: Span<UInt8>) throws(Refusal) {
        guard key == "issr" || key == "subj" else { return try set(key, data: bytes) }
        try set(key, .data(DistinguishedName.normalized(bytes)))
    }
}

extension RawValue {
    /// What an object in a dictionary is to the keychain.
    init(_ object: AnyObject) {
        // Most are this, and asking for the very class costs a fraction of a cast.
        if type(of: object) == NSString.self {
            self = unsafe .string(unsafeDowncast(object, to: NSString.self) as String)
            return
        }
        switch object {
        case let text as NSString: self = .string(text as String)
        case let number as NSNumber: self = Self.numberOrBoolean(number)
        case let date as NSDate: self = .date(date.timeIntervalSinceReferenceDate)
        case let control as SecAccessControl:
            self = control.content.map { .accessControl($0) } ?? .other("SecAccessControl")
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

// swift-corelibs-foundation's dictionaries are Core Foundation's; its enumeration costs 20 times what this function does.
@_silgen_name("CFDictionaryGetKeysAndValues")
private func getKeysAndValues(
    _ dictionary: NSDictionary, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>)

extension NSDictionary {
    /// Visits all entries; a key that is not a string is refused.
    func forEachEntry(_ visit: (String, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let ownType = type(of: self)
        guard ownType == NSDictionary.self || ownType == NSMutableDictionary.self else {
            // A program's own subclass keeps its entries where only it knows.
            for (key, value) in self { try visit(try Self.text(key as AnyObject), value as AnyObject) }
            return
        }
        try forEachOwnEntry(visit)
    }

    private func forEachOwnEntry(_ visit: (String, AnyObject) throws(Refusal) -> Void) throws(Refusal) {
        let size = count
        defer { extendLifetime(self) }
        try unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: size * 2 + 1) {
            (pointers) throws(Refusal) in
            guard let start = pointers.baseAddress else { return }
            unsafe getKeysAndValues(self, start, start + size)
            for index in 0..<size {
                guard let key = unsafe pointers[index], let value = unsafe pointers[size + index] else { continue }
                try unsafe visit(try Self.text(Self.object(key)), Self.object(value))
            }
        }
    }

    private static func object(_ pointer: UnsafeRawPointer) -> AnyObject {
        unsafe Unmanaged<AnyObject>.fromOpaque(pointer).takeUnretainedValue()
    }

    private static func text(_ key: AnyObject) throws(Refusal) -> String {
        if type(of: key) == NSString.self { return unsafe unsafeDowncast(key, to: NSString.self) as String }
        if let text = key as? NSString { return text as String }
        throw Refusal(
            .param, .unknownKey, "key", "A key of the dictionary is not a string but \(RawValue(key).kindName).",
            do: "Use the kSec constants as keys.")
    }
}
