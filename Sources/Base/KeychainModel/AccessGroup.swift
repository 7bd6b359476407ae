/// Groups with a meaning of their own.
package enum AccessGroup {
    /// Every group: given to no program from outside.
    package static let any = "*"
    /// Items that tokens offer; programs can read them but not put anything there.
    package static let token = "com.apple.token"
    /// What the group of an unsigned program begins with; its path follows.
    package static let unsignedPrefix = "program:"
    /// What the group of a systemd unit begins with; its name follows.
    package static let unitPrefix = "unit:"
    /// What the group of a Flatpak application begins with; its id follows.
    package static let flatpakPrefix = "flatpak:"
    /// What the group of a Snap application begins with; its name follows.
    package static let snapPrefix = "snap:"

    /// The group as a person is shown it: that of an unsigned program is marked.
    package static func title(_ group: String) -> String {
        group.hasPrefix(unsignedPrefix) ? "\(group) (unsigned)" : group
    }
}
