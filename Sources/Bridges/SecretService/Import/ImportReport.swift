import LinuxSystem

/// The outcome of an import, for people.
struct ImportReport {
    /// Items that were added, or would be.
    var added = 0
    /// Items that the keychain has with the same value.
    var same = 0
    /// The labels of items that the keychain has with another value. It keeps its own.
    var different: [String] = []
    /// The labels of collections that stayed locked.
    var closed: [String] = []
    /// Items without a value, or larger than the keychain's may be.
    var unreadable = 0

    /// The collections that were read, as the source calls them.
    var collections: [String] = []

    /// Whether everything is in the keychain.
    var isComplete: Bool { different.isEmpty && closed.isEmpty && unreadable == 0 }
}
