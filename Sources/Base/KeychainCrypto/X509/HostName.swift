import Glibc

/// The name that a TLS server's certificate must contain: a host name or an address.
enum HostName {
    case name(String)
    /// Four or sixteen bytes.
    case address([UInt8])

    /// Reads the host that a program gives; nil for a text that is neither name nor address. An address is compared in
    /// binary form. A text that only looks like an address (`10.0.0.01`) is invalid.
    init?(_ text: String) {
        guard !text.utf8.contains(0) else { return nil }
        if let bytes = Self.address(text, AF_INET, 4) ?? Self.address(text, AF_INET6, 16) {
            self = .address(bytes)
            return
        }
        // A trailing dot marks a complete name, which this already is.
        let name = text.hasSuffix(".") ? String(text.dropLast()) : text
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        // A name with a leading dot would match everything below it, and a wildcard is a pattern.
        let isName = labels.allSatisfy { !$0.isEmpty } && !name.contains { "*:%[]/ ".contains($0) }
        guard isName, let last = labels.last, !Self.isNumber(last) else { return nil }
        self = .name(name)
    }

    private static func address(_ text: String, _ family: CInt, _ size: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: size)
        return unsafe inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    /// A host name does not end in a number: programs read such a name as an address, in many forms.
    private static func isNumber(_ label: Substring) -> Bool {
        label.allSatisfy { ("0"..."9").contains($0) } || label.lowercased().hasPrefix("0x")
    }
}
