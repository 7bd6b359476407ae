/// An object of this module that Core Foundation has no class for: it knows its own type.
protocol SecurityObject: NSObject {
    /// The identifier that `CFGetTypeID` reports for the class.
    static var typeIdentifier: SecurityTypeIdentifier { get }
}

/// The type identifiers of this module's classes. They lie above every identifier Core Foundation's class table can hold
/// (it counts up from 1 and ends in the low thousands), so the two never meet.
enum SecurityTypeIdentifier: CFTypeID {
    case key = 0x5EC0_0001
    case certificate, identity, accessControl, policy, trust
    case access, accessControlList, trustedApplication, keychain, keychainItem
    case task, code, staticCode, requirement
}

/// Returns the type identifier of an object: one of the `…GetTypeID()` values.
///
/// - Parameter cf: the object; nil traps, as in C.
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    switch cf! {
    case let object as any SecurityObject: type(of: object).typeIdentifier.rawValue
    // Foundation's own classes for these three do not answer the C function.
    case is NSError: CFErrorGetTypeID()
    case is NSNull: CFNullGetTypeID()
    case is NSUUID: CFUUIDGetTypeID()
    case let other: coreFoundationTypeID(other)
    }
}

// The library Foundation links to has the C functions; they are reached by symbol, because importing the C module would
// make every type name of this folder ambiguous. Declared so, a function takes borrowed objects, which is C's convention.

@_silgen_name("CFGetTypeID") private func coreFoundationTypeID(_ cf: AnyObject) -> CFTypeID

/// Returns the type identifier of strings.
@_silgen_name("CFStringGetTypeID") public func CFStringGetTypeID() -> CFTypeID
/// Returns the type identifier of dictionaries.
@_silgen_name("CFDictionaryGetTypeID") public func CFDictionaryGetTypeID() -> CFTypeID
/// Returns the type identifier of arrays.
@_silgen_name("CFArrayGetTypeID") public func CFArrayGetTypeID() -> CFTypeID
/// Returns the type identifier of byte buffers.
@_silgen_name("CFDataGetTypeID") public func CFDataGetTypeID() -> CFTypeID
/// Returns the type identifier of booleans.
@_silgen_name("CFBooleanGetTypeID") public func CFBooleanGetTypeID() -> CFTypeID
/// Returns the type identifier of numbers.
@_silgen_name("CFNumberGetTypeID") public func CFNumberGetTypeID() -> CFTypeID
/// Returns the type identifier of errors.
@_silgen_name("CFErrorGetTypeID") public func CFErrorGetTypeID() -> CFTypeID
/// Returns the type identifier of dates.
@_silgen_name("CFDateGetTypeID") public func CFDateGetTypeID() -> CFTypeID
/// Returns the type identifier of null.
@_silgen_name("CFNullGetTypeID") public func CFNullGetTypeID() -> CFTypeID
/// Returns the type identifier of sets.
@_silgen_name("CFSetGetTypeID") public func CFSetGetTypeID() -> CFTypeID
/// Returns the type identifier of URLs.
@_silgen_name("CFURLGetTypeID") public func CFURLGetTypeID() -> CFTypeID
/// Returns the type identifier of UUIDs.
@_silgen_name("CFUUIDGetTypeID") public func CFUUIDGetTypeID() -> CFTypeID
