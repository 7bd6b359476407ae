// On Apple systems `import CoreFoundation` also imports Foundation and Dispatch; programs rely on that.
@_exported public import Dispatch
@_exported public import Foundation

// Core Foundation's types are Foundation's classes here, so that `[…] as CFDictionary` and `result as? String` need no
// bridge. Never import Foundation's own C module together with them: its types have the same names.

/// Any Core Foundation object.
public typealias CFTypeRef = AnyObject
/// Any object a property list may hold.
public typealias CFPropertyList = AnyObject

/// A string.
public typealias CFString = NSString
/// A string that can be changed.
public typealias CFMutableString = NSMutableString
/// A string with attributes.
public typealias CFAttributedString = NSAttributedString
/// A dictionary. The package hands out exact `NSDictionary` objects only: a native `CFDictionary` crashes when it is
/// asked for a Swift `String` key, and a subclass turns into an empty Swift dictionary.
public typealias CFDictionary = NSDictionary
/// A dictionary that can be changed.
public typealias CFMutableDictionary = NSMutableDictionary
/// An array.
public typealias CFArray = NSArray
/// An array that can be changed.
public typealias CFMutableArray = NSMutableArray
/// A set.
public typealias CFSet = NSSet
/// A set that can be changed.
public typealias CFMutableSet = NSMutableSet
/// Bytes.
public typealias CFData = NSData
/// Bytes that can be changed.
public typealias CFMutableData = NSMutableData
/// A point in time.
public typealias CFDate = NSDate
/// A number.
public typealias CFNumber = NSNumber
/// A truth value. It is one class with `CFNumber`, so only `CFGetTypeID` tells them apart.
public typealias CFBoolean = NSNumber
/// An error.
public typealias CFError = NSError
/// A URL.
public typealias CFURL = NSURL
/// A universally unique identifier.
public typealias CFUUID = NSUUID
/// The object that stands for "no value" in a collection.
public typealias CFNull = NSNull
/// A locale.
public typealias CFLocale = NSLocale
/// A set of characters.
public typealias CFCharacterSet = NSCharacterSet

/// The domain of an error.
public typealias CFErrorDomain = CFString
/// The identifier of a Core Foundation type, as `CFGetTypeID` reports it.
public typealias CFTypeID = UInt
/// A bit set of options.
public typealias CFOptionFlags = UInt
/// A hash value.
public typealias CFHashCode = UInt
/// A count or an index.
public typealias CFIndex = Int
/// A duration in seconds.
public typealias CFTimeInterval = Double
/// Seconds since 2001-01-01 00:00:00 UTC.
public typealias CFAbsoluteTime = Double
/// The number of a text encoding.
public typealias CFStringEncoding = UInt32

/// The status code most functions of this module return; zero is success.
public typealias OSStatus = Int32
/// Four characters packed into a number.
public typealias FourCharCode = UInt32
/// Four characters that name a type.
public typealias OSType = FourCharCode
/// A UTF-16 code unit.
public typealias UniChar = UInt16
/// A signed 32-bit number.
public typealias SInt32 = Int32
/// Objective-C's integer.
public typealias NSInteger = Int
/// Objective-C's unsigned integer.
public typealias NSUInteger = UInt
/// Where a function of Objective-C's conventions puts its error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
