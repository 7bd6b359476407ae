import CommandOptions
import KeychainModel
import KeychainWire

/// An earlier version, as it is shown.
struct ItemVersion {
    let item: ItemResponse.Item
    /// Seconds since 2001.
    let ended: Double
    let end: VersionEnd
    /// Which machine's change has come in its place; nil where a program of this keychain has ended it.
    let lost: LostVersion?
    /// Its number in the history, where another machine has ended it.
    let number: Int64

    init?(_ item: ItemResponse.Item) {
        guard case .date(let ended)? = item.attributes[.versionEnded],
            let end = item.attributes[.versionEnd]?.number.flatMap(UInt8.init(exactly:)).flatMap(
                VersionEnd.init(rawValue:))
        else { return nil }
        (self.item, self.ended, self.end) = (item, ended, end)
        guard case .data(let bytes)? = item.attributes[.lostVersion], bytes.count > 8 else {
            (lost, number) = (nil, 0)
            return
        }
        lost = LostVersion(Array(bytes[8...]))
        number = bytes[..<8].reversed().reduce(0) { $0 << 8 | Int64($1) }
    }

    func line(in machines: CircleMachines) -> String {
        let place = machines.other(lost).map { ["on \(machines.name($0))"] } ?? []
        let words = [endedText, name] + place + facts + ["since \(began)"]
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

    func json(in machines: CircleMachines) -> JSONValue {
        .object([
            ("ended", .string(endedText)), ("end", .string(name)),
            ("on", machines.other(lost).map { machines.json(of: $0) } ?? .null), ("began", .string(began)),
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
