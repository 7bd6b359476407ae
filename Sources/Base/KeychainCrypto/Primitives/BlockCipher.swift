/// The block ciphers for data of other programs. The keychain's own data is sealed with ``AESGCM``, which is none of
/// these.
package enum BlockCipher: CaseIterable, Sendable {
    /// AES (FIPS 197), with keys of 16, 24 or 32 bytes.
    case aes
    /// DES, with a key of 8 bytes. It is broken, and here only to read old data.
    case des
    /// Three times DES, with a key of 24 bytes.
    case tripleDES

    /// The mode of operation (SP 800-38A).
    package enum Mode: String, CaseIterable, Sendable {
        case ecb = "ECB"
        case cbc = "CBC"
        case cfb = "CFB"
        case cfb8 = "CFB8"
        case ofb = "OFB"
        case ctr = "CTR"
        /// AES Key Wrap (RFC 3394).
        case wrap = "WRAP"

        /// Whether a message must have whole blocks, so that other messages need padding.
        package var isOfBlocks: Bool { self == .ecb || self == .cbc }
    }

    /// The sizes a key may have, in bytes.
    package var keySizes: Set<Int> {
        switch self {
        case .aes: [16, 24, 32]
        case .des: [8]
        case .tripleDES: [24]
        }
    }

    /// The size of a block in bytes.
    package var blockSize: Int { self == .aes ? 16 : 8 }

    /// OpenSSL's name of a mode with a key of some size; nil when there is none. Single DES gets the name of triple
    /// DES, which equals it with three equal keys. By its own name it is in OpenSSL's legacy provider, which may be
    /// missing.
    func name(_ mode: Mode, keySize: Int) -> String? {
        guard keySizes.contains(keySize), let prefix = prefix(of: mode) else { return nil }
        return self == .aes ? "\(prefix)-\(keySize * 8)-\(mode.rawValue)" : "\(prefix)-\(mode.rawValue)"
    }

    private func prefix(of mode: Mode) -> String? {
        if self == .aes { return "AES" }
        return mode == .ctr || mode == .wrap ? nil : "DES-EDE3"
    }

    /// All names that OpenSSL has for these ciphers.
    static var names: Set<String> {
        var names: Set<String> = []
        for cipher in allCases {
            for mode in Mode.allCases { names.formUnion(cipher.keySizes.compactMap { cipher.name(mode, keySize: $0) }) }
        }
        return names
    }
}
