internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Reads a program's dictionaries.
extension ItemRequest {
    /// Makes a request from the dictionaries that a `SecItem` function was given. Settings for prompts and the
    /// keychains go into `use`.
    ///
    /// - Parameter match: takes the entries that look into certificates. Only a search has them: the rules refuse them
    ///   in any other request.
    /// - Throws: `errSecParam` for entries of the wrong type or without meaning; what `match` throws.
    init(
        _ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil, use: inout AuthenticationUse,
        match: (_ key: String, _ value: AnyObject) throws(Refusal) -> Void = { (_, _) throws(Refusal) in }
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        var reference: (any ReferencedItem)?
        try dictionary.forEachEntry { (key, value) throws(Refusal) in
            switch key.role {
            case .matchCertificate?: try match(key.code, value)
            case .authenticationContext?:
                if let context = value as? any AuthenticationContextSource { return use.context = context }
            case .valueReference?:
                if let object = value as? any ReferencedItem { return reference = object }
            // An add does not search: the rules refuse the list there. Only an add stores something new.
            case .searchList? where operation != .add:
                return use.searchList = try SecKeychain.list(value, "kSecMatchSearchList")
            case .keychain? where operation == .add:
                return use.keychain = try SecKeychain.given(value, "kSecUseKeychain")
            default: break
            }
            guard let data = data(value) else { return try builder.set(key, RawValue(value)) }
            try data.withSpan { (bytes) throws(Refusal) in try builder.set(key, givenData: bytes) }
        }
        if let reference { try builder.fill(from: reference, operation) }
        try changes?.forEachEntry { (key, value) throws(Refusal) in
            guard let data = data(value) else { return try builder.change(key, RawValue(value)) }
            try data.withSpan { (bytes) throws(Refusal) in try builder.change(key, data: bytes) }
        }
        use.reason = builder.operationPrompt
        self = try builder.build()
        use.ui = authenticationUI
    }
}

/// The value as data; nil for other types. Most values are strings: comparing the class costs a fraction of a cast.
private func data(_ value: AnyObject) -> NSData? { type(of: value) == NSString.self ? nil : value as? NSData }

extension ItemRequestBuilder {
    /// Normalises the names of subjects and issuers, so that any form of a name finds them (rule
    /// queries.match.name-form).
    fileprivate mutating func set(_ key: DictionaryKey, givenData bytes: Span<UInt8>) throws(Refusal) {
        switch key.attribute?.id {
        case .issuer?, .subject?: try set(key, .data(DistinguishedName.normalized(bytes)))
        default: try set(key, data: bytes)
        }
    }
}

extension DistinguishedName {
    /// The form in which the keychain stores and compares a name that a program gives as DER. Bytes that are no name,
    /// and a name that is already in this form, stay as they are.
    static func normalized(_ name: Span<UInt8>) -> [UInt8] {
        (try? DistinguishedName(parsing: name))?.normalized ?? name.array(0, name.count)
    }
}
