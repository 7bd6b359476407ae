internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Reading a program's dictionaries.
extension ItemRequest {
    /// Makes a request of the dictionaries a `SecItem` function was given; what they say about asking the user goes
    /// into `use`.
    init(
        _ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil, use: inout AuthenticationUse
    ) throws(Refusal) {
        // Only a search has match keys; in any other request the rules refuse them.
        var matches: CertificateMatches?
        try self.init(operation, dictionary: dictionary, changes: changes, use: &use, matches: &matches)
    }

    /// As ``init(_:dictionary:changes:use:)``; what looks into certificates goes into `matches`.
    init(
        _ operation: Operation, dictionary: NSDictionary, changes: NSDictionary? = nil, use: inout AuthenticationUse,
        matches: inout CertificateMatches?
    ) throws(Refusal) {
        var builder = ItemRequestBuilder(operation)
        var reference: (any ReferencedItem)?
        try dictionary.forEachEntry { (key, value) throws(Refusal) in
            switch key.role {
            case .matchCertificate?: try CertificateMatches.take(key.code, value, into: &matches)
            case .authenticationContext?:
                if let context = value as? any AuthenticationContextSource { return use.context = context }
            case .valueReference?:
                if let object = value as? any ReferencedItem { return reference = object }
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

/// Data, if it is some; most values are strings, and asking for the very class costs a fraction of a cast.
private func data(_ value: AnyObject) -> NSData? { type(of: value) == NSString.self ? nil : value as? NSData }

extension ItemRequestBuilder {
    /// Names of subjects and issuers are kept and sought in one form, whatever form they come in (semantics A.2).
    fileprivate mutating func set(_ key: DictionaryKey, givenData bytes: Span<UInt8>) throws(Refusal) {
        switch key.attribute?.id {
        case .issuer?, .subject?: try set(key, .data(DistinguishedName.normalized(bytes)))
        default: try set(key, data: bytes)
        }
    }
}
