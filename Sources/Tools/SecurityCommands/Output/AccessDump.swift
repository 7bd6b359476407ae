import KeychainModel
import KeychainWire

/// The users and times of an item, in the layout of macOS's access control lists: here one entry, because the access
/// group and the protection class decide about all uses.
struct AccessDump {
    private let item: ItemResponse.Item

    init(_ item: ItemResponse.Item) { self.item = item }

    var text: String {
        """
        access: 1 entries
            entry 0:
                authorizations (1): any
                don't-require-password
                description: \(shown(.label))
                protection: \(protection)\(remarks)
                applications (1):
                    0: \(AccessGroup.title(shown(.accessGroup)))

        """
    }

    /// Further facts, a line each: who vouches for the group, and what the item demands.
    private var remarks: String {
        let anchored = AccessConstraint(flags: item.attributes.accessControl?.flags ?? 0).needsAnchor
        let lines =
            (item.isOfUnsignedProgram ? ["unsigned: the group is an executable's path"] : [])
            + (anchored ? ["requires: an anchored program"] : [])
        return lines.map { "\n        \($0)" }.joined()
    }

    private func shown(_ id: AttributeID) -> String {
        item.attributes[id]?.string.map { $0.printable == $0 ? $0 : "<not printable>" } ?? "<NULL>"
    }

    private var protection: String {
        guard let accessibility = item.attributes[.accessible]?.string.flatMap(Accessibility.init(code:)) else {
            return "<NULL>"
        }
        let when =
            switch accessibility.availability {
            case .whileUnlocked: "while unlocked"
            case .sinceFirstUnlock: "after first unlock"
            case .always: "always"
            }
        return "\(accessibility.code) (\(when)\(accessibility.isThisDeviceOnly ? ", this device only" : ""))"
    }
}
