package import KeychainModel
package import PropertyLists

/// The entitlements that a program requests with its signature, or that root installs for it. The format is the
/// property list of Apple's `.entitlements` files (rule access-groups.entitlements.file).
package struct Entitlements: Hashable, Sendable {
    package typealias Value = PropertyList

    /// The access groups in the order in which the keychain reads them (rule access-groups.list.order), each once. New
    /// items go to the first. `com.apple.token` is last.
    package let groups: [String]
    package let applicationIdentifier: String?
    /// Whether only the anchored program gets the groups (`keychain-requires-anchor`).
    package let requiresAnchor: Bool
    private let entries: [PropertyList.Entry]

    /// Reads entitlements without a team, as root installs them. The groups are taken as they are.
    ///
    /// - Throws: `errSecMissingEntitlement`: `entitlements.malformed`; `entitlements.placeholder` for `$(…)`, which
    ///   only a team gives a meaning.
    package init(plist: [UInt8]) throws(Refusal) {
        try self.init(PropertyList(entitlements: plist), placeholders: .none)
        for group in groups { try GroupNames.checkText(group) }
    }

    /// Reads the entitlements of a signed program. `EntitlementVariables` stand for its team and identifier. Every
    /// group begins with the Team ID (rule access-groups.team.prefix). A missing application identifier becomes the
    /// Team ID and the program's identifier.
    ///
    /// - Parameter plist: the file; when it is empty, the only entitlement is the application identifier.
    /// - Throws: `errSecMissingEntitlement`: `entitlements.malformed`, `.placeholder`, `.foreign-prefix`.
    package init(plist: [UInt8], team: TeamID, identifier: String) throws(Refusal) {
        var list = plist.isEmpty ? PropertyList.dictionary([]) : try PropertyList(entitlements: plist)
        list.addDefault(EntitlementKey.teamIdentifier, team.text)
        if EntitlementKey.applicationIdentifiers.allSatisfy({ list[$0] == nil }) {
            list.addDefault(EntitlementKey.applicationIdentifiers[0], team.prefix + identifier)
        }
        try self.init(list, placeholders: EntitlementVariables(team: team, identifier: identifier))
        try check(team)
    }

    private init(_ list: PropertyList, placeholders: EntitlementVariables?) throws(Refusal) {
        guard case .dictionary(let entries) = try list.replacing(placeholders) else {
            throw .malformedEntitlements("its root is no dictionary", line: 0)
        }
        self.entries = entries
        let all = PropertyList.dictionary(entries)
        applicationIdentifier = try all.text(EntitlementKey.applicationIdentifiers)
        requiresAnchor = try all.flag(EntitlementKey.requiresAnchor)
        var groups: [String] = []
        for key in EntitlementKey.groupLists { groups += try all.texts(key) }
        groups += applicationIdentifier.map { [$0] } ?? []
        groups += try all.texts(EntitlementKey.applicationGroups)
        self.groups = GroupNames.ordered(groups)
        guard self.groups.count <= GroupNames.mostGroups else {
            throw .malformedEntitlements("there are more than \(GroupNames.mostGroups) groups", line: 0)
        }
    }

    private func check(_ team: TeamID) throws(Refusal) {
        for group in groups where group != GroupNames.token {
            try GroupNames.checkText(group)
            guard group.hasPrefix(team.prefix), group.utf8.count > team.prefix.utf8.count else {
                throw .foreignPrefix(group, team)
            }
        }
        guard value(EntitlementKey.teamIdentifier) == .string(team.text) else {
            throw .foreignPrefix(EntitlementKey.teamIdentifier, team)
        }
    }

    /// All entitlements.
    package var all: Value { .dictionary(entries) }

    /// The value of any entitlement; nil when it is not there.
    package func value(_ key: String) -> Value? { entries.first { $0.key == key }?.value }
}

/// The entitlements that the keychain reads.
package enum EntitlementKey {
    /// Lists of groups that stand before the application identifier, in order.
    static let groupLists = [
        "keychain-access-groups", "com.apple.developer.associated-application-identifier",
    ]
    /// The name on iOS and the name on macOS; the first one found counts.
    static let applicationIdentifiers = ["application-identifier", "com.apple.application-identifier"]
    static let applicationGroups = "com.apple.security.application-groups"
    package static let teamIdentifier = "com.apple.developer.team-identifier"
    /// An entitlement of this project: only the anchored program gets the groups.
    package static let requiresAnchor = "keychain-requires-anchor"
}

extension PropertyList {
    /// - Throws: `errSecMissingEntitlement` (`entitlements.malformed`), with the line.
    fileprivate init(entitlements bytes: [UInt8]) throws(Refusal) {
        do throws(Malformed) { try self.init(xml: bytes) } catch {
            throw .malformedEntitlements(error.problem, line: error.line)
        }
    }

    fileprivate mutating func addDefault(_ key: String, _ text: String) {
        guard case .dictionary(let entries) = self, self[key] == nil else { return }
        self = .dictionary(entries + [Entry(key: key, value: .string(text))])
    }

    fileprivate func text(_ keys: [String]) throws(Refusal) -> String? {
        guard let key = keys.first(where: { self[$0] != nil }) else { return nil }
        guard let text = self[key]?.text else { throw .malformedEntitlements("\(key) is no string", line: 0) }
        return text
    }

    fileprivate func flag(_ key: String) throws(Refusal) -> Bool {
        switch self[key] {
        case nil: return false
        case .boolean(let flag)?: return flag
        default: throw .malformedEntitlements("\(key) is neither true nor false", line: 0)
        }
    }

    /// An array of strings; a single string is an array of one.
    fileprivate func texts(_ key: String) throws(Refusal) -> [String] {
        switch self[key] {
        case nil: return []
        case .string(let text)?: return [text]
        case .array(let values)?:
            let texts = values.compactMap(\.text)
            guard texts.count == values.count else {
                throw .malformedEntitlements("\(key) has what is no string", line: 0)
            }
            return texts
        default: throw .malformedEntitlements("\(key) is no array of strings", line: 0)
        }
    }
}

extension Refusal {
    static func malformedEntitlements(_ what: String, line: Int) -> Refusal {
        let place = line > 0 ? " (line \(line))" : ""
        return Refusal(
            .missingEntitlement, .malformedEntitlements, "entitlements",
            "The entitlements cannot be read: \(what)\(place).",
            do: "Write a property list in XML whose root is a dictionary, as Xcode does.")
    }
}
