import KeychainModel
import KeychainWire

/// A change of an item, as the page of its history shows it.
struct HistoryEntry: Equatable {
    /// An attribute that was another one before.
    struct Field: Equatable {
        let label: Words
        let before, after: String
    }

    /// When it was, in seconds since 2001.
    let time: Double
    let isDeletion: Bool
    /// Empty where nothing but the value was changed.
    let fields: [Field]
    /// The program that made it; nil where that is not known any more.
    let program: String?
    /// A moment at which the item was what it was before.
    let moment: Double

    /// - Parameters:
    ///   - next: the attributes after the change; nil after a deletion.
    init(_ version: ItemVersion, next: AttributeList?, program: String?) {
        (time, isDeletion, self.program) = (version.ended, version.end == .deleted, program)
        let before = version.item.attributes
        fields = next.map { Self.fields(before, $0) } ?? []
        moment = ((before.moment(.modificationDate) ?? version.ended) + version.ended) / 2
    }

    private static let texts: [(AttributeID, Words)] = [
        (.service, "Service"), (.server, "Server"), (.account, "Account"), (.label, "Label"), (.comment, "Comment"),
        (.description, "Kind"), (.path, "Path"), (.securityDomain, "Domain"), (.accessGroup, "Group"),
    ]

    private static func fields(_ before: AttributeList, _ after: AttributeList) -> [Field] {
        let named = texts.map { id, label in
            Field(
                label: label, before: DisplayName.shown(before.shownText(id)),
                after: DisplayName.shown(after.shownText(id)))
        }
        let opens = Field(
            label: "Opens", before: before.accessibility?.name ?? "", after: after.accessibility?.name ?? "")
        return (named + [opens]).filter { $0.before != $0.after }
    }
}
