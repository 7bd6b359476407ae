// The classes behind the references that functions take and return. Each is a class of its own, so that `item as! SecKey`
// and `CFGetTypeID(item) == SecKeyGetTypeID()` mean something. A program cannot make one: references come from functions,
// and a class whose initializer takes `Never` has no function yet that returns one.

// MARK: - Processes and signed code

/// A process and its entitlements.
public final class SecTask: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.task
    init(_ nothing: Never) {}
}

/// Running code.
public final class SecCode: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.code
    init(_ nothing: Never) {}
}

/// Code on disk.
public final class SecStaticCode: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.staticCode
    init(_ nothing: Never) {}
}

/// A requirement that code can meet or not.
public final class SecRequirement: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.requirement
    init(_ nothing: Never) {}
}

// MARK: - The macOS file keychain, named by programs but not part of this keychain

/// The access lists of an item of the file keychain.
public final class SecAccess: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.access
    init(_ nothing: Never) {}
}

/// One access list of an item of the file keychain.
public final class SecACL: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.accessControlList
    init(_ nothing: Never) {}
}

/// A program that an access list of the file keychain names.
public final class SecTrustedApplication: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.trustedApplication
    init(_ nothing: Never) {}
}

/// A keychain file.
public final class SecKeychain: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.keychain
    init(_ nothing: Never) {}
}

/// An item of a keychain file.
public final class SecKeychainItem: NSObject, SecurityObject, Sendable {
    static let typeIdentifier = SecurityTypeIdentifier.keychainItem
    init(_ nothing: Never) {}
}
