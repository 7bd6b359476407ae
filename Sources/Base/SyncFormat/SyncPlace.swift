/// Where the batches of a circle are kept, as people and `keychain.circle` spell it. There is no secret in it.
///
///     place  = folder | server | bucket
///     folder = ["folder:"] "/" path
///     server = "postgresql://" rest                      ; PostgreSQL's own URL, without a password
///     bucket = "https://" host [":" port] "/" bucket ["?" parameters]     ; "http://" on this machine
package enum SyncPlace: Equatable, Sendable {
    /// The absolute path of a folder that all machines have.
    case folder(String)
    /// A PostgreSQL server.
    case server(String)
    /// A bucket of an object store.
    case bucket(String)

    /// Reads a place; nil for one that has another form, has a password in it, or could be mistaken in a list.
    package init?(_ text: String) {
        if text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") {
            guard Self.isPlainURL(text) else { return nil }
            self = .server(text)
        } else if text.hasPrefix("https://") || text.hasPrefix("http://") {
            guard Self.isPlainURL(text) else { return nil }
            self = .bucket(text)
        } else {
            let path = text.hasPrefix(Self.mark) ? String(text.dropFirst(Self.mark.count)) : text
            guard path.hasPrefix("/"), path.unicodeScalars.allSatisfy(Self.isShown) else { return nil }
            self = .folder(path)
        }
    }

    private static let mark = "folder:"

    /// The place's one spelling.
    package var text: String {
        switch self {
        case .folder(let path): Self.mark + path
        case .server(let url), .bucket(let url): url
        }
    }

    /// The place as people name it.
    package var shown: String { if case .folder(let path) = self { path } else { text } }

    /// Whether it is reached over a network.
    package var isRemote: Bool { if case .folder = self { false } else { true } }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7f...0x9f ~= scalar.value)
    }

    /// Places are shown and written down, so a password has no place there.
    private static func isPlainURL(_ text: String) -> Bool {
        guard let start = text.firstRange(of: "//")?.upperBound else { return false }
        let host = text[start...].prefix { !"/?#".contains($0) }
        let user = host.lastIndex(of: "@").map { host[..<$0] } ?? ""
        return text.utf8.allSatisfy { 0x21...0x7e ~= $0 } && !user.contains(":")
            && !text.lowercased().contains("password=")
    }
}
