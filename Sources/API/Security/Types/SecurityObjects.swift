// The classes of the references that functions take and return. Each is a separate class, so that `item as! SecKey` and
// `CFGetTypeID(item) == SecKeyGetTypeID()` work. A program cannot make one: only functions return references. A class
// whose initializer takes `Never` has no such function yet.

// MARK: - The macOS file keychain, named by programs but not part of this keychain

/// The access lists of an item of the file keychain.
public final class SecAccess: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecAccess.self)
    private let runtimeWord = SecAccess.runtimeType.word
    init(_ nothing: Never) {}
}

/// One access list of an item of the file keychain.
public final class SecACL: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecACL.self)
    private let runtimeWord = SecACL.runtimeType.word
    init(_ nothing: Never) {}
}

/// A program that an access list of the file keychain names.
public final class SecTrustedApplication: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecTrustedApplication.self)
    private let runtimeWord = SecTrustedApplication.runtimeType.word
    init(_ nothing: Never) {}
}

/// An item of a keychain file.
public final class SecKeychainItem: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecKeychainItem.self)
    private let runtimeWord = SecKeychainItem.runtimeType.word
    init(_ nothing: Never) {}
}
