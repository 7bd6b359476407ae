import KeychainModel
import PropertyLists

/// The values of the variables for team and identifier in an entitlements file, as Xcode has them (rule
/// access-groups.entitlements.prefix). The prefixes end with a dot.
struct EntitlementVariables {
    private let values: [String: String]

    init(team: TeamID, identifier: String) {
        values = [
            "AppIdentifierPrefix": team.prefix, "TeamIdentifierPrefix": team.prefix, "DEVELOPMENT_TEAM": team.text,
            "CFBundleIdentifier": identifier, "PRODUCT_BUNDLE_IDENTIFIER": identifier,
        ]
    }

    /// Replaces every `$(NAME)` in the text by its value.
    ///
    /// - Throws: `errSecMissingEntitlement` (`entitlements.placeholder`) for an unknown name.
    static func replace(in text: String, by placeholders: EntitlementVariables?) throws(Refusal) -> String {
        var (result, rest) = ("", Substring(text))
        while let start = rest.firstRange(of: "$(") {
            guard let end = rest[start.upperBound...].firstIndex(of: ")") else { break }
            let name = String(rest[start.upperBound..<end])
            guard let value = placeholders?.values[name] else { throw .placeholder(name, placeholders) }
            result += rest[..<start.lowerBound] + value
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }
}

extension PropertyList {
    /// Replaces all variables in the strings of the value. Keys stay as they are.
    ///
    /// - Throws: as ``EntitlementVariables/replace(in:by:)``.
    func replacing(_ placeholders: EntitlementVariables?) throws(Refusal) -> PropertyList {
        switch self {
        case .string(let text): return .string(try EntitlementVariables.replace(in: text, by: placeholders))
        case .array(let values):
            var replaced: [PropertyList] = []
            for value in values { replaced.append(try value.replacing(placeholders)) }
            return .array(replaced)
        case .dictionary(let entries):
            var replaced: [Entry] = []
            for entry in entries {
                replaced.append(Entry(key: entry.key, value: try entry.value.replacing(placeholders)))
            }
            return .dictionary(replaced)
        case .boolean, .integer, .real, .date, .data: return self
        }
    }
}

extension Refusal {
    fileprivate static func placeholder(_ name: String, _ placeholders: EntitlementVariables?) -> Refusal {
        let remedy =
            placeholders == nil
            ? "Write the whole name: this file belongs to no team."
            : "Known are $(AppIdentifierPrefix), $(TeamIdentifierPrefix), $(DEVELOPMENT_TEAM), $(CFBundleIdentifier) "
                + "and $(PRODUCT_BUNDLE_IDENTIFIER)."
        return Refusal(
            .missingEntitlement, .placeholder, name, "Nothing can be put in place of $(\(name)).", do: remedy)
    }
}
