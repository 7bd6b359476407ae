/// An object of this module that Core Foundation has no class for: it knows its own type.
protocol SecurityObject: CoreFoundationObject {
    /// The identifier that `CFGetTypeID` reports for the class.
    static var typeIdentifier: SecurityTypeIdentifier { get }
}

extension SecurityObject {
    package static var typeID: CFTypeID { typeIdentifier.rawValue }
}

/// The type identifiers of this module's classes. They lie above every identifier Core Foundation's class table can hold
/// (it counts up from 1 and ends in the low thousands), so the two never meet.
enum SecurityTypeIdentifier: CFTypeID {
    case key = 0x5EC0_0001
    case certificate, identity, accessControl, policy, trust
    case access, accessControlList, trustedApplication, keychain, keychainItem
    case task, code, staticCode, requirement
}
