import LinuxSystem

/// The variables of the program that is started.
struct ChildEnvironment {
    private var entries: [(name: String, text: SecretBytes)]

    /// - Parameter inherited: `NAME=VALUE` each.
    init(_ inherited: [SecretBytes]) {
        entries = inherited.map { text in
            text.withSpan { bytes in
                let end = bytes.indices.first { bytes[$0] == UInt8(ascii: "=") } ?? bytes.count
                return (bytes.text(0, end) ?? "", text)
            }
        }
    }

    /// The complete list, `NAME=VALUE` each.
    var texts: [SecretBytes] { entries.map(\.text) }

    /// The value of a variable; nil when it is not set.
    func value(_ name: String) -> SecretBytes? {
        guard let entry = entries.first(where: { $0.name == name }) else { return nil }
        return entry.text.withSpan { SecretBytes(copying: $0.extracting(min(name.utf8.count + 1, $0.count)...)) }
    }

    /// The names of variables whose values are meant as references, sorted.
    var namesOfReferences: [String] {
        let scheme = Array(ItemReference.scheme.utf8)
        return entries.filter { name, text in
            text.withSpan { bytes in
                let start = name.utf8.count + 1
                return !name.isEmpty && bytes.count - start >= scheme.count
                    && scheme.indices.allSatisfy { bytes[start + $0] == scheme[$0] }
            }
        }.map(\.name).sorted()
    }

    /// Sets a variable. A name that stood there, even twice, stands there once.
    mutating func set(_ name: String, _ value: SecretBytes) {
        let text = SecretBuffer(capacity: name.utf8.count + 1 + value.count)
        text.append(utf8: name + "=")
        value.withSpan { text.append($0) }
        entries.removeAll { $0.name == name }
        entries.append((name, text.finish()))
    }
}
