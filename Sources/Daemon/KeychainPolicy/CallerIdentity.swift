/// Who is calling, as far as it could be verified, and the access groups that follow from it (semantics C.1).
package struct CallerIdentity: Hashable, Sendable {
    /// The user the process runs as.
    package let user: UInt32
    package let process: Int32
    /// What a person calls the program; for prompts and logs.
    package let program: String
    /// The groups the program may use; the first is where its items go by default (S-15).
    package let groups: [String]
    /// The inspecting command of this installation: it may list attributes of all groups, never values.
    package let mayInspectAllGroups: Bool

    package init(user: UInt32, process: Int32, program: String, groups: [String], mayInspectAllGroups: Bool = false) {
        self.user = user
        self.process = process
        self.program = program
        self.groups = groups
        self.mayInspectAllGroups = mayInspectAllGroups
    }

    /// The group of a program that brings no entitlements: its own, named by its executable (S-18).
    package static func ownGroup(ofExecutable path: String) -> String { "program:" + path }
}

/// Groups with a meaning of their own.
package enum AccessGroup {
    /// Every group: given to no program from outside.
    package static let any = "*"
    /// Items that tokens offer; programs can read them but not put anything there.
    package static let token = "com.apple.token"
}
