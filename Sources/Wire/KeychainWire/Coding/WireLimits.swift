import KeychainModel

/// Limits of everything that a peer can make grow, each with its reason.
package enum WireLimits {
    /// A value of 1 MiB and twice as many attributes as any class can carry at their largest common size.
    package static var requestBody: Int { ItemLimits.valueBytes + (512 << 10) }
    /// One item at its largest, or a page of smaller ones.
    package static var responseBody: Int { requestBody + (256 << 10) }
    /// A page of an enumeration is closed when it has grown to this: large enough that the round trip does not count,
    /// small enough that a reader of a million items costs the daemon no memory.
    package static let pageBytes = 256 << 10
    /// An old and a new passcode.
    package static let descriptors = 2
    /// Longest passcode, in bytes.
    package static let passcodeBytes = 1024
    /// A caller that names no deadline gets this one, in milliseconds.
    package static let defaultDeadline: UInt32 = 60_000
    /// The longest time a watch lasts before it is answered as it stands, in milliseconds. With a usual deadline it is
    /// no longer than the longest one, and an idle watcher wakes seven times an hour.
    package static let longestWatch: UInt32 = longestDeadline - defaultDeadline
    /// The longest deadline a caller may ask for: milliseconds.
    package static let longestDeadline: UInt32 = 600_000
    /// The shortest deadline of a request that may need the user: milliseconds.
    package static let promptDeadline: UInt32 = 180_000
    /// As long as a group's name, or a path, may be.
    package static let nameBytes = 4096
}
