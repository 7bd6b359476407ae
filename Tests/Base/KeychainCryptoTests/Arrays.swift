import KeychainCrypto
import LinuxSystem

// Tests use arrays, so that a table of facts needs no conversion; the module itself takes spans.

extension AESGCM {
    convenience init(key: [UInt8]) throws(CryptoError) { try self.init(key: key.span) }

    func seal(_ plaintext: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        try seal(plaintext.span, aad: aad.span)
    }

    func open(_ box: [UInt8], aad: [UInt8], into buffer: SecretBuffer) throws(CryptoError) {
        try open(box.span, aad: aad.span, into: buffer)
    }

    /// Opens into an array that contains other bytes before.
    func open(_ box: [UInt8], aad: [UInt8], leaving output: inout [UInt8]) throws(CryptoError) {
        output = [UInt8](repeating: 0xff, count: max(0, box.count - Self.overhead))
        var span = output.mutableSpan
        try open(box.span, aad: aad.span, into: &span)
    }
}

extension OneTimeAESGCM {
    func seal(_ plaintext: [UInt8], key: [UInt8], aad: [UInt8]) throws(CryptoError) -> [UInt8] {
        try seal(plaintext.span, key: key.span, aad: aad.span)
    }

    func open(_ box: [UInt8], key: [UInt8], aad: [UInt8], into buffer: SecretBuffer) throws(CryptoError) {
        try open(box.span, key: key.span, aad: aad.span, into: buffer)
    }
}

extension KeyedDigest {
    convenience init(key: [UInt8]) throws(CryptoError) { try self.init(key: key.span) }

    func update(_ part: [UInt8]) throws(CryptoError) { try update(part.span) }

    func digest(_ message: [UInt8]) throws(CryptoError) -> String {
        let whole = try digest(message.span)
        return hexadecimal(whole.span)
    }
}

extension HKDF {
    static func derive(from key: [UInt8], salt: [UInt8], info: [UInt8], count: Int) throws(CryptoError) -> SecretBytes {
        try derive(from: key.span, salt: salt.span, info: info.span, count: count)
    }
}

extension Argon2id {
    func derive(
        from password: [UInt8], salt: [UInt8], secret: [UInt8] = [], associatedData: [UInt8] = [], count: Int
    ) throws(CryptoError) -> SecretBytes {
        try derive(
            from: password.span, salt: salt.span, secret: secret.span, associatedData: associatedData.span, count: count
        )
    }
}

extension ConstantTime {
    static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool { areEqual(left.span, right.span) }
}

extension SecretBytes {
    convenience init(_ bytes: [UInt8]) { self.init(copying: bytes.span) }
}

extension SecretBuffer {
    func append(_ bytes: [UInt8]) { append(bytes.span) }
}
