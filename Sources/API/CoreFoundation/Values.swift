/// A memory allocator. Objects here always come from Swift's allocator, so any allocator passed is ignored.
public final class CFAllocator: NSObject, Sendable {}

// Implicitly unwrapped as in C: programs write `kCFBooleanTrue`, `kCFBooleanTrue!` and `kCFBooleanTrue ?? true` alike.

/// The default allocator.
public let kCFAllocatorDefault: CFAllocator! = nil
/// The system's allocator.
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
/// The allocator of `malloc`.
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
/// The allocator that never frees.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

/// The boolean "true".
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// The boolean "false".
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The object that stands for "no value".
public let kCFNull: CFNull! = NSNull()

/// The domain of errors whose code is an `OSStatus`.
@safe nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSString(string: NSOSStatusErrorDomain)
/// The domain of errors whose code is an `errno`.
@safe nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSString(string: NSPOSIXErrorDomain)
/// The domain of Foundation's errors.
@safe nonisolated(unsafe) public let kCFErrorDomainCocoa: CFErrorDomain! = NSString(string: NSCocoaErrorDomain)
/// The key of an error's description in its user info.
@safe nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = NSString(
    string: NSLocalizedDescriptionKey)
/// The key of an error's reason in its user info.
@safe nonisolated(unsafe) public let kCFErrorLocalizedFailureReasonKey: CFString! =
    NSString(string: NSLocalizedFailureReasonErrorKey)
/// The key of the error that caused an error, in its user info.
@safe nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSString(string: NSUnderlyingErrorKey)

/// The key of a bundle's identifier in its information property list.
@safe nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
/// The key of a bundle's short name.
@safe nonisolated(unsafe) public let kCFBundleNameKey: CFString! = "CFBundleName"
/// The key of a bundle's version.
@safe nonisolated(unsafe) public let kCFBundleVersionKey: CFString! = "CFBundleVersion"
/// The key of the name of a bundle's executable.
@safe nonisolated(unsafe) public let kCFBundleExecutableKey: CFString! = "CFBundleExecutable"
/// The key of the version of the property list's format.
@safe nonisolated(unsafe) public let kCFBundleInfoDictionaryVersionKey: CFString! = "CFBundleInfoDictionaryVersion"
/// The key of a bundle's native language.
@safe nonisolated(unsafe) public let kCFBundleDevelopmentRegionKey: CFString! = "CFBundleDevelopmentRegion"
/// The key of the languages a bundle is translated into.
@safe nonisolated(unsafe) public let kCFBundleLocalizationsKey: CFString! = "CFBundleLocalizations"

/// Success.
public let noErr: OSStatus = 0
/// The encoding UTF-8.
public let kCFStringEncodingUTF8: CFStringEncoding = 0x0800_0100
/// The encoding US-ASCII.
public let kCFStringEncodingASCII: CFStringEncoding = 0x0600
