/// A system user that a service runs as.
package struct Account: Equatable, Sendable {
    package let user: UInt32
    package let group: UInt32
    /// All groups of the user.
    package let groups: [UInt32]

    package init(user: UInt32, group: UInt32, groups: [UInt32]) {
        (self.user, self.group, self.groups) = (user, group, groups)
    }

    /// The account of a user number, with a single group of the same number.
    package init(number: UInt32) { self.init(user: number, group: number, groups: []) }
}
