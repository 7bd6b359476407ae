/// Returns the type identifier of an object: one of the `…GetTypeID()` values, or 0 for an object that is none of them.
///
/// - Parameter cf: the object; nil traps, as in C.
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    // The C function traps on an object of a plain Swift class.
    guard let object = cf! as? NSObject else { return 0 }
    let known = coreFoundationTypeID(object)
    return known != 0 ? known : typeIDUnknownToCoreFoundation(object)
}

private func typeIDUnknownToCoreFoundation(_ object: NSObject) -> CFTypeID {
    switch object {
    case is NSError: CFErrorGetTypeID()
    case is NSNull: CFNullGetTypeID()
    case is NSUUID: CFUUIDGetTypeID()
    case is NSLocale: CFLocaleGetTypeID()
    case is NSCharacterSet: CFCharacterSetGetTypeID()
    default: 0
    }
}

// The library Foundation links to has the C functions; they are reached by symbol, because importing the C module would
// make every type name of this module ambiguous. Declared so, a function takes borrowed objects, which is C's
// convention.

@_silgen_name("CFGetTypeID") private func coreFoundationTypeID(_ cf: NSObject) -> CFTypeID

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
/// Returns the type identifier of locales.
@_silgen_name("CFLocaleGetTypeID") public func CFLocaleGetTypeID() -> CFTypeID
/// Returns the type identifier of sets of characters.
@_silgen_name("CFCharacterSetGetTypeID") public func CFCharacterSetGetTypeID() -> CFTypeID
