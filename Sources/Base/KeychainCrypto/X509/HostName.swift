import Glibc

/// Whom a TLS server's certificate must name: a host by its name, or an address.
enum HostName {
    case name(String)
    /// Four or sixteen bytes.
    case address([UInt8])

    /// Reads what a program gives as host; nil for what can be neither. An address is compared as such and not as text,
    /// so that what merely looks like one (`10.0.0.01`) is nothing.
    init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        if let bytes = Self.address(text, AF_INET, 4) ?? Self.address(text, AF_INET6, 16) {
            self = .address(bytes)
            return
        }
        // A dot behind the name says that it is complete, which it is.
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A name that begins with a dot would stand for everything below it, and a wildcard is a pattern.
        let isName = labels.allSatisfy { !$0.isEmpty } && !name.contains { "*:%[]/ ".contains($0) }
        guard isName, let last = labels.last, !Self.isNumber(last) else { return nil }
        self = .name(name)
    }

    private static func address(_ text: String, _ family: CInt, _ size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// Names do not end in a number: programs take them for addresses of many forms.
    private static func isNumber(_ label: Substring) -> Bool {
        label.allSatisfy { ("0"..."9").contains($0) } || label.lowercased().hasPrefix("0x")
    }
}
