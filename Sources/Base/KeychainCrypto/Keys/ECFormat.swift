import COpenSSL
import KeychainModel
import LinuxSystem

/// Keys on the NIST prime curves: 04 ‖ X ‖ Y, and for private keys ‖ K, each as long as the field (rule
/// keys.form.external).
struct ECFormat: KeyFormat {
    let kind = "EC"
    let algorithm = NID_X9_62_id_ecPublicKey

    func bits(of key: KeyHandle) -> Int { key.bits }

    func generate(bits: Int) throws(CryptoError) -> KeyHandle {
        let context = try KeyContext(making: kind)
        try succeed(unsafe EVP_PKEY_keygen_init(context.reference))
        try succeed(unsafe EVP_PKEY_CTX_set_group_name(context.reference, Curve(bits: bits).group.pointer))
        var key: OpaquePointer?
        try succeed(unsafe EVP_PKEY_generate(context.reference, &key))
        return try unsafe KeyHandle(adopting: key)
    }

    func encodePublic(_ key: KeyHandle) throws(CryptoError) -> [UInt8] {
        let size = try Curve(bits: key.bits).fieldSize
        var point = [UInt8](repeating: 4, count: 1 + 2 * size)
        var span = point.mutableSpan
        try write(key, OSSL_PKEY_PARAM_EC_PUB_X, to: &span, at: 1, size)
        try write(key, OSSL_PKEY_PARAM_EC_PUB_Y, to: &span, at: 1 + size, size)
        return point
    }

    func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> SecretBytes {
        let size = try Curve(bits: key.bits).fieldSize
        let point = try encodePublic(key)
        let encoded = SecretBytes(count: 1 + 3 * size)
        try encoded.withMutableSpan { (span) throws(CryptoError) in
            span.copy(point.span)
            try write(key, OSSL_PKEY_PARAM_PRIV_KEY, to: &span, at: 1 + 2 * size, size)
        }
        return encoded
    }

    private func write(
        _ key: KeyHandle, _ part: String, to span: inout MutableSpan<UInt8>, at offset: Int, _ size: Int
    ) throws(CryptoError) {
        try key.number(part).write(to: &span, at: offset, count: size)
    }

    func decodePublic(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        let curve = try Curve(pointSize: bytes.count)
        let key = try unsafe make(curve, bytes, [], selection: Curve.publicPart)
        try key.checkPublic()
        return key
    }

    func decodePrivate(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        let curve = try Curve(pairSize: bytes.count)
        let scalar = bytes.extracting(curve.pointSize...)
        let reversed = SecretBytes(count: scalar.count)
        reversed.withMutableSpan { for index in scalar.indices { $0[scalar.count - 1 - index] = scalar[index] } }
        let key = try reversed.withSpan { (scalar) throws(CryptoError) in
            try unsafe withAddress(of: scalar) { (start, count) throws(CryptoError) in
                let number = unsafe OSSL_PARAM_construct_BN(
                    Curve.privateKey.pointer, UnsafeMutablePointer(mutating: start), count)
                return try unsafe make(
                    curve, bytes.extracting(..<curve.pointSize), unsafe [number], selection: Curve.bothParts)
            }
        }
        try key.checkPair()
        return key
    }

    private func make(
        _ curve: Curve, _ point: Span<UInt8>, _ more: [OSSL_PARAM], selection: CInt
    ) throws(CryptoError) -> KeyHandle {
        guard point.count == curve.pointSize, point[0] == 4 else { throw .malformedKey }
        let context = try KeyContext(making: kind)
        try succeed(unsafe EVP_PKEY_fromdata_init(context.reference))
        return try unsafe withAddress(of: point) { (start, count) throws(CryptoError) in
            let group = unsafe OSSL_PARAM_construct_utf8_string(Curve.groupName.pointer, curve.group.pointer, 0)
            let point = unsafe OSSL_PARAM_construct_octet_string(
                Curve.publicKey.pointer, UnsafeMutablePointer(mutating: start), count)
            var parameters = unsafe [group, point] + more + [OSSL_PARAM_construct_end()]
            var key: OpaquePointer?
            try succeed(unsafe EVP_PKEY_fromdata(context.reference, &key, selection, &parameters), or: .malformedKey)
            return try unsafe KeyHandle(adopting: key)
        }
    }
}

/// The supported curves.
struct Curve: Sendable {
    let bits: Int
    /// OpenSSL's name of the curve.
    let group: ParameterText

    /// The size of a coordinate or a private key in bytes.
    var fieldSize: Int { KeyType.blockSize(bits: bits) }
    /// The size of 04 ‖ X ‖ Y.
    var pointSize: Int { 1 + 2 * fieldSize }

    static let all = [
        Curve(bits: 192, group: ParameterText("prime192v1")), Curve(bits: 224, group: ParameterText("secp224r1")),
        Curve(bits: 256, group: ParameterText("prime256v1")), Curve(bits: 384, group: ParameterText("secp384r1")),
        Curve(bits: 521, group: ParameterText("secp521r1")),
    ]
    /// The parts of a key that are given when it is made, in OpenSSL's bits.
    static let publicPart = OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY
    static let bothParts = publicPart | OSSL_KEYMGMT_SELECT_PRIVATE_KEY
    static let groupName = ParameterText(OSSL_PKEY_PARAM_GROUP_NAME)
    static let publicKey = ParameterText(OSSL_PKEY_PARAM_PUB_KEY)
    static let privateKey = ParameterText(OSSL_PKEY_PARAM_PRIV_KEY)

    private init(bits: Int, group: ParameterText) { (self.bits, self.group) = (bits, group) }

    /// - Throws: `CryptoError.unsupportedKeySize` for a size that no supported curve has.
    init(bits: Int) throws(CryptoError) {
        guard let found = Self.all.first(where: { $0.bits == bits }) else { throw .unsupportedKeySize }
        self = found
    }

    /// - Throws: `CryptoError.malformedKey` for a size that the points of no curve have.
    init(pointSize: Int) throws(CryptoError) {
        guard let found = Self.all.first(where: { $0.pointSize == pointSize }) else { throw .malformedKey }
        self = found
    }

    /// - Throws: `CryptoError.malformedKey` for a size that the key pairs of no curve have.
    init(pairSize: Int) throws(CryptoError) {
        guard let found = Self.all.first(where: { $0.pointSize + $0.fieldSize == pairSize }) else {
            throw .malformedKey
        }
        self = found
    }
}
