import CommandOptions
import KeychainModel
import KeychainWire

/// An earlier version, as it is shown.
struct ItemVersion {
    let item: ItemResponse.Item
    /// Seconds since 2001.
    let ended: Double
    let end: VersionEnd

    init?(_ item: ItemResponse.Item) {
        guard case .date(let ended)? = item.attributes[.versionEnded],
            let end = item.attributes[.versionEnd]?.number.flatMap(UInt8.init(exactly:)).flatMap(
                VersionEnd.init(rawValue:))
        else { return nil }
        (self.item, self.ended, self.end) = (item, ended, end)
    }

    var line: String {
        let words = [endedText, name] + facts + ["since \(began)"]
        return (words + (isGuarded ? ["guarded"] : [])).joined(separator: " ")
    }

    /// The item's class, and the names that people know it by.
    var facts: [String] {
        let names: [AttributeID] = item.itemClass == .internetPassword ? [.server, .account] : [.service, .account]
        let texts = ([.label] + names + [.accessGroup]).compactMap { id in
            item.attributes[id]?.string.flatMap { text in
                text.isEmpty ? nil : "\(AttributeTable.attribute(id: id)?.code ?? "")=\(text.quoted)"
            }
        }
        return [item.itemClass.code] + texts
    }

    var json: JSONValue {
        .object([
            ("ended", .string(endedText)), ("end", .string(name)), ("began", .string(began)),
            ("class", .string(item.itemClass.code)), ("guarded", .boolean(isGuarded)),
            ("attributes", .object(ItemJSON.attributes(item.attributes, of: item.itemClass))),
        ])
    }

    private var name: String { end == .deleted ? "deleted" : "changed" }

    /// When it ended, as it is shown.
    var endedText: String { time(ended) }

    /// When the version before it ended.
    var began: String {
        guard case .date(let date)? = item.attributes[.modificationDate] else { return "" }
        return time(date)
    }

    private var isGuarded: Bool { AccessControl.asksTheUser(item.attributes.accessControl?.flags ?? 0) }

    private func time(_ seconds: Double) -> String { CalendarDate(secondsSinceReferenceDate: seconds).iso8601 }
}
