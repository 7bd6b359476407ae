/// The order of two values.
public enum CFComparisonResult: CFIndex, Sendable {
    /// The first value comes first.
    case compareLessThan = -1
    /// The values are equal.
    case compareEqualTo = 0
    /// The second value comes first.
    case compareGreaterThan = 1
}

/// How two strings are compared; the options of `NSString.CompareOptions`, which have the same values.
public struct CFStringCompareFlags: OptionSet, Sendable {
    /// The option's bits.
    public let rawValue: CFOptionFlags

    /// Makes options of bits.
    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    /// Small and capital letters are the same.
    public static let compareCaseInsensitive = Self(rawValue: 1)
    /// From the end.
    public static let compareBackwards = Self(rawValue: 4)
    /// At the start alone, or at the end.
    public static let compareAnchored = Self(rawValue: 8)
    /// Characters written in several ways are the same.
    public static let compareNonliteral = Self(rawValue: 16)
    /// As the user's language orders.
    public static let compareLocalized = Self(rawValue: 32)
    /// Digits count as numbers.
    public static let compareNumerically = Self(rawValue: 64)
    /// Letters with and without marks are the same.
    public static let compareDiacriticInsensitive = Self(rawValue: 128)
    /// Wide and narrow characters are the same.
    public static let compareWidthInsensitive = Self(rawValue: 256)
    /// Strings that are not the same byte by byte are never equal.
    public static let compareForcedOrdering = Self(rawValue: 512)
}

// MARK: - Strings

/// Makes a string from zero-terminated text; nil when the bytes are not text in that encoding.
public func CFStringCreateWithCString(
    _ allocator: CFAllocator!, _ text: UnsafePointer<CChar>!, _ encoding: CFStringEncoding
) -> CFString! {
    unsafe NSString(cString: text, encoding: CFStringConvertEncodingToNSStringEncoding(encoding))
}

/// Returns the number of UTF-16 code units.
public func CFStringGetLength(_ string: CFString!) -> CFIndex { string.length }

/// Writes a string, zero-terminated, to `buffer` of `size` bytes; false when it does not fit or cannot be encoded.
public func CFStringGetCString(
    _ string: CFString!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: CFIndex, _ encoding: CFStringEncoding
) -> Bool {
    // The C function of this name heeds neither size nor encoding when the string is a Foundation object.
    guard let text = string.data(using: CFStringConvertEncodingToNSStringEncoding(encoding)), text.count < size else {
        return false
    }
    for (index, byte) in text.enumerated() { unsafe buffer[index] = CChar(bitPattern: byte) }
    unsafe buffer[text.count] = 0
    return true
}

/// Compares two strings.
///
/// - Parameter options: how.
public func CFStringCompare(
    _ string: CFString!, _ other: CFString!, _ options: CFStringCompareFlags
) -> CFComparisonResult {
    switch string.compare(String(describing: other!), options: NSString.CompareOptions(rawValue: options.rawValue)) {
    case .orderedAscending: .compareLessThan
    case .orderedSame: .compareEqualTo
    case .orderedDescending: .compareGreaterThan
    }
}

/// Returns Foundation's number for a text encoding.
@_silgen_name("CFStringConvertEncodingToNSStringEncoding")
public func CFStringConvertEncodingToNSStringEncoding(_ encoding: CFStringEncoding) -> UInt

// MARK: - Booleans, dates, identifiers

/// Returns the truth value of a boolean.
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean.boolValue }

/// Returns the present, in seconds since 2001-01-01 00:00:00 UTC.
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }

/// Makes a date from seconds since 2001-01-01 00:00:00 UTC.
public func CFDateCreate(_ allocator: CFAllocator!, _ time: CFAbsoluteTime) -> CFDate! {
    NSDate(timeIntervalSinceReferenceDate: time)
}

/// Returns a date in seconds since 2001-01-01 00:00:00 UTC.
public func CFDateGetAbsoluteTime(_ date: CFDate!) -> CFAbsoluteTime { date.timeIntervalSinceReferenceDate }

/// Makes a random identifier.
public func CFUUIDCreate(_ allocator: CFAllocator!) -> CFUUID! { NSUUID() }

/// Returns an identifier as text.
public func CFUUIDCreateString(_ allocator: CFAllocator!, _ uuid: CFUUID!) -> CFString! {
    NSString(string: uuid.uuidString)
}
