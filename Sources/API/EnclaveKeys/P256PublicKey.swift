internal import DER
public import Foundation
internal import LinuxSystem
internal import Security

/// The encodings of a public key on P-256.
public protocol P256PublicKey: Hashable, Sendable {
    /// The point on the curve, uncompressed: 0x04 ‖ X ‖ Y, 65 bytes (X9.63).
    var x963Representation: Data { get }

    /// Reads a point: 65 bytes, 0x04 ‖ X ‖ Y.
    init(x963Representation: some DataProtocol) throws(EnclaveKeyError)
}

extension P256PublicKey {
    /// The point on the curve without the leading byte: X ‖ Y, 64 bytes.
    public var rawRepresentation: Data { Data(x963Representation.dropFirst()) }

    /// The key as SubjectPublicKeyInfo (RFC 5280): 91 bytes of DER.
    public var derRepresentation: Data { Data(SubjectPublicKeyInfo.head) + x963Representation }

    /// The key as SubjectPublicKeyInfo in PEM (RFC 7468), which OpenSSL reads.
    public var pemRepresentation: String {
        // CryptoKit's form has no line break at its end.
        String(PEM.text(label: SubjectPublicKeyInfo.label, Array(derRepresentation).span).dropLast())
    }

    /// Reads a point without the leading byte: 64 bytes, X ‖ Y.
    ///
    /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything that is not a point on the curve.
    public init(rawRepresentation: some DataProtocol) throws(EnclaveKeyError) {
        try self.init(x963Representation: [0x04] + Data(rawRepresentation))
    }

    /// Reads SubjectPublicKeyInfo in DER, with the point uncompressed.
    ///
    /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything else.
    public init(derRepresentation: some DataProtocol) throws(EnclaveKeyError) {
        let bytes = Data(derRepresentation)
        guard bytes.starts(with: SubjectPublicKeyInfo.head) else {
            throw .malformed("a public key on P-256 in DER", expected: "It takes SubjectPublicKeyInfo of 91 bytes.")
        }
        try self.init(x963Representation: bytes.dropFirst(SubjectPublicKeyInfo.head.count))
    }

    /// Reads SubjectPublicKeyInfo in PEM: one block `PUBLIC KEY`.
    ///
    /// - Throws: ``EnclaveKeyError`` with `errSecParam` for anything else.
    public init(pemRepresentation: String) throws(EnclaveKeyError) {
        let text = Array(pemRepresentation.utf8)
        guard let blocks = try? PEM.read(text.span), blocks.count == 1, blocks[0].label == SubjectPublicKeyInfo.label
        else { throw .malformed("a public key in PEM", expected: "It takes one block, BEGIN PUBLIC KEY.") }
        try self.init(derRepresentation: blocks[0].content.withSpan { $0.array(0, $0.count) })
    }

    static func checked(_ point: Data) throws(EnclaveKeyError) -> Data {
        _ = try reference(to: point)
        return point
    }

    /// Passes the key to the functions of the Security framework, which check that it is a point on the curve.
    static func reference(to point: Data) throws(EnclaveKeyError) -> SecKey {
        guard point.count == 65 else {
            throw .malformed("a point on P-256", expected: "It takes 65 bytes: 4, X and Y.")
        }
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        return try unsafe calling { unsafe SecKeyCreateWithData(point as NSData, attributes, $0) }
    }
}

/// The bytes before the point in SubjectPublicKeyInfo: id-ecPublicKey on prime256v1 (RFC 5480).
private enum SubjectPublicKeyInfo {
    static let head: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]
    static let label = "PUBLIC KEY"
}
