import DER
import LinuxSystem

/// Builds a property list from the elements of its document.
final class PropertyListBuilder: XMLListener {
    /// The value of the document, set at its end.
    private(set) var value: PropertyList?
    private var open: [Container] = []
    private var hasBegun = false
    /// The element whose text is being read.
    private var leaf: (element: String, text: [UInt8])?

    /// An array or a dictionary that has not ended.
    private struct Container {
        let isDictionary: Bool
        var values: [PropertyList] = []
        var entries: [PropertyList.Entry] = []
        var keys: Set<String> = []
        var key: String?
    }

    private static let leaves: Set<String> = ["key", "string", "integer", "real", "date", "data", "true", "false"]

    func begin(_ element: String) -> String? {
        guard leaf == nil else { return "there is an element inside <\(leaf?.element ?? "")>" }
        guard hasBegun else {
            hasBegun = true
            return element == "plist" ? nil : "its root is not <plist>"
        }
        guard value == nil else { return "<plist> has more than one value" }
        if Self.leaves.contains(element) {
            leaf = (element, [])
            return nil
        }
        guard element == "dict" || element == "array" else { return "<\(element.prefix(40))> is unknown" }
        guard open.count < PropertyList.mostLevels else { return "its arrays lie too deep in each other" }
        guard open.last.map({ !$0.isDictionary || $0.key != nil }) ?? true else { return "a value has no <key>" }
        open.append(Container(isDictionary: element == "dict"))
        return nil
    }

    func characters(_ text: Span<UInt8>) -> String? {
        if leaf != nil {
            leaf?.text.append(contentsOf: text.array(0, text.count))
            return nil
        }
        return text.indices.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains(text[$0]) }
            ? nil : "there is text between the elements"
    }

    func end(_ element: String) -> String? {
        if let leaf {
            self.leaf = nil
            return add(element, text: leaf.text)
        }
        guard let container = open.popLast() else { return value == nil ? "<plist> is empty" : nil }
        guard container.key == nil else { return "a <key> has no value" }
        return add(container.isDictionary ? .dictionary(container.entries) : .array(container.values))
    }

    private func add(_ element: String, text bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return "a text is not UTF-8" }
        if element == "key" { return add(key: text) }
        guard let value = Self.value(element, text) else { return "<\(element)> cannot be read" }
        return add(value)
    }

    private func add(key: String) -> String? {
        guard var container = open.popLast(), container.isDictionary, container.key == nil else {
            return "a <key> is where none can be"
        }
        guard container.keys.insert(key).inserted else { return "a key is given twice" }
        container.key = key
        open.append(container)
        return nil
    }

    private func add(_ value: PropertyList) -> String? {
        guard var container = open.popLast() else {
            self.value = value
            return nil
        }
        if container.isDictionary {
            guard let key = container.key else { return "a value has no <key>" }
            container.entries.append(PropertyList.Entry(key: key, value: value))
            container.key = nil
        } else {
            container.values.append(value)
        }
        open.append(container)
        return nil
    }

    private static func value(_ element: String, _ text: String) -> PropertyList? {
        switch element {
        case "string": .string(text)
        case "true": text.isEmpty ? .boolean(true) : nil
        case "false": text.isEmpty ? .boolean(false) : nil
        case "integer": Int64(text).map { .integer($0) }
        case "real": Double(text).map { .real($0) }
        case "date": .date(text)
        case "data": data(text).map { .data($0) }
        default: nil
        }
    }

    private static func data(_ text: String) -> [UInt8]? {
        var decoder = Base64Decoder()
        do throws(PEM.Malformed) {
            for byte in text.utf8 where ![0x0A, 0x0D].contains(byte) { try decoder.add(byte) }
            return try decoder.finish().withSpan { $0.array(0, $0.count) }
        } catch { return nil }
    }
}
