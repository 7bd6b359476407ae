/// A range of positions.
@frozen public struct CFRange: Equatable, Sendable {
    /// The first position.
    public var location: CFIndex
    /// The number of positions.
    public var length: CFIndex

    /// Makes the empty range at zero.
    public init() { self.init(location: 0, length: 0) }

    /// Makes a range.
    public init(location: CFIndex, length: CFIndex) {
        self.location = location
        self.length = length
    }
}

/// Makes a range.
public func CFRangeMake(_ location: CFIndex, _ length: CFIndex) -> CFRange {
    CFRange(location: location, length: length)
}

/// Makes a data object with a copy of `length` bytes.
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard let start = unsafe bytes else { return NSData() }
    return unsafe NSData(bytes: start, length: length)
}

/// Makes a data object with a copy of `length` bytes.
///
/// The bytes are copied in spite of the name. A Swift caller may free its bytes at any time, and a copy never dangles.
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex, _ deallocator: CFAllocator!
) -> CFData! {
    unsafe CFDataCreate(allocator, bytes, length)
}

/// Makes an empty data object that can grow.
public func CFDataCreateMutable(_ allocator: CFAllocator!, _ capacity: CFIndex) -> CFMutableData! { NSMutableData() }

/// Returns the number of bytes.
public func CFDataGetLength(_ data: CFData!) -> CFIndex { data.length }

/// Returns where the bytes are. The pointer is good only while the caller keeps the object itself alive.
public func CFDataGetBytePtr(_ data: CFData!) -> UnsafePointer<UInt8>! {
    unsafe data.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Copies a range of the bytes to `buffer`, which must have room for them.
public func CFDataGetBytes(_ data: CFData!, _ range: CFRange, _ buffer: UnsafeMutablePointer<UInt8>!) {
    unsafe data.getBytes(buffer, range: NSRange(location: range.location, length: range.length))
}

/// Appends `length` bytes.
public func CFDataAppendBytes(_ data: CFMutableData!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) {
    unsafe data.append(bytes, length: length)
}
