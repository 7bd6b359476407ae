/// A user of the system that a service runs as.
package struct Account: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// All groups it is a member of.
    package let groups: [UInt32]

    package init(user: UInt32, group: UInt32, groups: [UInt32]) {
        (self.user, self.group, self.groups) = (user, group, groups)
    }

    /// An account by its number, whose one group has the same number.
    package init(number: UInt32) { self.init(user: number, group: number, groups: []) }
}
