import LinuxSystem

/// A stored value: the password, and on further lines what belongs to it.
struct GitPassword {
    static let furtherKeys = ["password_expiry_utc", "oauth_refresh_token"]

    let password: SecretBytes
    /// Lines that git understands.
    let rest: [SecretBytes]

    /// Takes a value apart; nil when git could not read the password back.
    init?(_ value: SecretBytes) {
        let lines = value.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } ? [] : bytes.lines }
        guard let first = lines.first else { return nil }
        password = first
        rest = lines.dropFirst().filter { line in
            Self.furtherKeys.contains { line.begins(with: $0 + "=") }
        }
    }
}

extension Span<UInt8> {
    fileprivate var lines: [SecretBytes] {
        var (lines, start) = ([SecretBytes](), 0)
        for index in indices where self[index] == UInt8(ascii: "\n") {
            lines.append(SecretBytes(copying: extracting(start..<index)))
            start = index + 1
        }
        return lines + [SecretBytes(copying: extracting(start...))]
    }
}

extension SecretBytes {
    fileprivate func begins(with text: String) -> Bool {
        let wanted = Array(text.utf8)
        return withSpan { $0.count >= wanted.count && $0.extracting(..<wanted.count).isEqual(to: wanted.span) }
    }
}
