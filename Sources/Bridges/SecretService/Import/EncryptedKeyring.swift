import KeychainCrypto
import KeychainModel
import LinuxSystem

/// A file of gnome-keyring's that a password encrypts.
///
///     file   = "GnomeKeyring" LF CR NUL LF major minor cipher hash
///              name ctime mtime flags timeout iterations salt 4*number items size ciphertext
///     items  = count *(id type hashed-attributes)
///     plain  = md5 *(label secret ctime mtime text 4*number attributes acl) padding
struct EncryptedKeyring {
    /// The first bytes of such a file.
    static let magic: StaticString = "GnomeKeyring\n\r\0\n"

    let name: String
    private let iterations: UInt32
    private let salt, message: SecretBytes
    /// The types of the items, in their order.
    private let types: [UInt32]

    /// Reads what is not encrypted.
    ///
    /// - Throws: ``ImportFailure`` for a later version; ``KeyringReader/Cut``.
    init(_ file: SecretBytes) throws {
        var reader = KeyringReader(file)
        _ = try reader.bytes(Self.magic.utf8CodeUnitCount)
        guard try reader.number() == 0 else {
            throw ImportFailure(
                "The file has a later version. Open it with the program that wrote it, and import from there.",
                "该文件的版本较新。请用写出它的程序打开，并从那里导入。")
        }
        name = try reader.text() ?? ""
        // Both times, flags and the time-out.
        try reader.skip(numbers: 6)
        iterations = try reader.number()
        salt = try reader.bytes(8)
        try reader.skip(numbers: 4)
        // The number is the file's word: room is made for what is there.
        var types: [UInt32] = []
        for _ in 0..<(try reader.number()) { types.append(try Self.type(&reader)) }
        self.types = types
        message = try reader.secret()
    }

    /// The type of an item, whose hashed attributes are passed over.
    private static func type(_ reader: inout KeyringReader) throws(KeyringReader.Cut) -> UInt32 {
        _ = try reader.number()
        let type = try reader.number()
        for _ in 0..<(try reader.number()) {
            _ = try reader.secret()
            if try reader.number() == 0 { _ = try reader.secret() } else { _ = try reader.number() }
        }
        return type
    }

    /// The items; nil for one that is no text.
    ///
    /// - Throws: `CryptoError.authenticationFailed` for a wrong password; ``KeyringReader/Cut``.
    func items(password: SecretBytes) throws -> [OtherService.Item?] {
        let text = try message.withSpan { message in
            try salt.withSpan { salt in
                try KeyringCipher.decrypt(message, password: password, salt: salt, iterations: Int(iterations))
            }
        }
        var reader = KeyringReader(text)
        return try types.map { type in try Self.item(&reader, type: type) }
    }

    private static func item(
        _ reader: inout KeyringReader, type: UInt32
    ) throws(KeyringReader.Cut) -> OtherService.Item? {
        let (label, value) = (try reader.text(), try reader.secret())
        try reader.skip(numbers: 4)
        _ = try reader.secret()
        try reader.skip(numbers: 4)
        let pairs = try attributes(&reader)
        for _ in 0..<(try reader.number()) {
            _ = try reader.number()
            for _ in 0..<3 { _ = try reader.secret() }
            _ = try reader.number()
        }
        guard let label, let pairs else { return nil }
        return OtherService.Item(label: label, pairs: pairs, type: type, value: value)
    }

    private static func attributes(
        _ reader: inout KeyringReader
    ) throws(KeyringReader.Cut) -> LookupAttributes.Pairs? {
        var (pairs, isText): (LookupAttributes.Pairs, Bool) = ([:], true)
        for _ in 0..<(try reader.number()) {
            let name = try reader.text()
            let value = try reader.number() == 0 ? try reader.text() : "\(try reader.number())"
            if let name, let value { pairs[ExactText(name)] = ExactText(value) } else { isText = false }
        }
        return isText ? pairs : nil
    }
}

extension OtherService.Item {
    /// An item of a file. gnome-keyring's clients are shown its type where it has no schema.
    init(label: String, pairs: LookupAttributes.Pairs, type: UInt32, value: SecretBytes) {
        var pairs = pairs
        if pairs[LookupAttributes.schema]?.text == LookupAttributes.generic { pairs[LookupAttributes.schema] = nil }
        let kinds: [UInt32: String] = [1: "org.gnome.keyring.NetworkPassword", 2: "org.gnome.keyring.Note"]
        let kind = pairs[LookupAttributes.schema] == nil ? kinds[type & 0xFFFF] ?? "" : ""
        self.init(label: label, lookup: LookupAttributes(pairs: pairs, kind: kind), value: value)
    }
}
