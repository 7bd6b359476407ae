import KeychainModel
import KeychainWire
import LinuxSystem

/// A login from a file of another program's: an internet password where it has an address, otherwise a generic one.
struct ImportedLogin {
    let title: String
    let url: String
    let account: String
    let realm: String
    let note: String
    let password: SecretBytes
    /// The service of a login without an address; the title where there is none.
    var service = ""

    /// The name by which people know it.
    private var name: String { [title, address?.host ?? url, account].first { !$0.isEmpty } ?? "" }

    /// Whether there is a password, and something that it is for.
    var isWhole: Bool { password.count > 0 && !(title.isEmpty && url.isEmpty) }

    /// The item that it becomes.
    var item: ImportedItem {
        let note = note.isEmpty ? [] : [(code: "icmt", value: RawValue.string(note))]
        return ImportedItem(
            itemClass: itemClass, place: place, description: [("labl", .string(name))] + note, name: name,
            password: password)
    }

    private var itemClass: ItemClass { address == nil ? .genericPassword : .internetPassword }

    /// The attributes that are its primary key.
    private var place: [(code: String, value: RawValue)] {
        let account = (code: "acct", value: RawValue.string(account))
        guard let address else {
            return [("svce", .string([service, title, url].first { !$0.isEmpty } ?? "")), account]
        }
        return address.attributes + [("sdmn", .string(realm)), ("atyp", .string("dflt")), account]
    }

    /// The server of the first address.
    private var address: ServerAddress? {
        // Some programs write several addresses into one field.
        guard let first = url.split(whereSeparator: { ",\n ".contains($0) }).first else { return nil }
        let plain = first.prefix { !"?#".contains($0) }
        guard plain.contains("://") || plain.contains(".") else { return nil }
        // Browsers take a backslash for a slash, and others for a part of the user's name: nobody knows the host.
        guard !plain.unicodeScalars.contains("\\") else { return nil }
        return ServerAddress(server: Self.withoutUser(plain))
    }

    /// A URL without the user's name and password, or an app's key, that stand before its host.
    private static func withoutUser(_ url: Substring) -> String {
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { $0 != "/" }
        guard let mark = authority.lastIndex(of: "@") else { return String(url) }
        return String(url[..<start] + url[url.index(after: mark)...])
    }
}
