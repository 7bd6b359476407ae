extension Refusal.Rule {
    /// Items of the group come from elsewhere; no program puts any there.
    package static let readOnlyGroup = Self(rawValue: "access.group-read-only")
    /// The program has no group of its own that an item could go into.
    package static let noOwnGroup = Self(rawValue: "access.no-group-to-add-to")
    /// All groups are looked at by the keychain's own command alone, and never at their values.
    package static let inspection = Self(rawValue: "access.inspection")
    /// The item opens for anchored programs alone.
    package static let notAnchored = Self(rawValue: "access.not-anchored")
    /// Only who has both groups, or speaks for the user, gives a group's items another one.
    package static let foreignGroups = Self(rawValue: "access.groups-not-granted")
    /// Another item is where one should go.
    package static let conflict = Self(rawValue: "store.conflict")
    /// The user, or the program, has as many items, or as many bytes, as there is room for.
    package static let quota = Self(rawValue: "keychain.quota")
}
