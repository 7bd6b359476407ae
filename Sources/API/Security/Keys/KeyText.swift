internal import DER
internal import KeychainCrypto
internal import KeychainModel

/// A key as `CFCopyDescription` shows it, in Apple's form (rule keys.type.description).
struct KeyText {
    private let material: any KeyMaterial

    init(_ material: any KeyMaterial) { self.material = material }

    /// Apple's version of the functions behind a key.
    private static let version = 4

    /// The parts of the text, in their order.
    var fields: [String] {
        let half = material.keyClass == .private ? "Private" : "Public"
        let blockBits = 8 * KeyType.blockSize(bits: material.bits)
        let kind = [
            "algorithm id: \(algorithm)", "key type: \(name)\(half)Key", "version: \(Self.version)",
            "block size: \(blockBits) bits",
        ]
        return (curve.map { ["curve type: \($0)"] } ?? []) + kind + (half == "Public" ? numbers : [])
    }

    /// Apple's number of the algorithm.
    private var algorithm: Int {
        switch material.type {
        case .rsa: 1
        case .ecSECPrimeRandom: 3
        case .ed25519: 4
        case .x25519: 5
        }
    }

    private var name: String {
        switch material.type {
        case .rsa: "RSA"
        case .ecSECPrimeRandom: "EC"
        case .ed25519: "Ed25519"
        case .x25519: "X25519"
        }
    }

    private var curve: String? {
        switch material.type {
        case .rsa: nil
        case .ecSECPrimeRandom: "kSecECCurveSecp\(material.bits)r1"
        case .ed25519: "kSecEd25519"
        case .x25519: "kSecX25519"
        }
    }

    /// Modulus and exponent, or the point.
    private var numbers: [String] {
        let bytes = material.publicKey.external()
        switch material.type {
        case .rsa: return (try? Self.numbersOfRSA(bytes)) ?? []
        case .ecSECPrimeRandom:
            let size = KeyType.blockSize(bits: material.bits)
            let (x, y) = (bytes.dropFirst().prefix(size), bytes.suffix(size))
            return ["y: \(hex(y))", "x: \(hex(x))"]
        case .ed25519, .x25519: return []
        }
    }

    /// The numbers of an RSAPublicKey (RFC 8017, A.1.1).
    private static func numbersOfRSA(_ bytes: [UInt8]) throws(DERError) -> [String] {
        var parts = try DERElement(parsing: bytes.span).children(of: .sequence)
        let modulus = try parts.next(.integer).contentBytes(in: bytes.span).drop { $0 == 0 }
        let exponent = try parts.next(.integer).contentBytes(in: bytes.span).drop { $0 == 0 }
        let number = exponent.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let both = "{hex: \(String(number, radix: 16, uppercase: true)), decimal: \(number)}"
        return ["exponent: \(both)", "modulus: \(hex(modulus))"]
    }
}

/// Two capital digits for each byte.
private func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
}

extension ObjectIdentifier {
    /// The object's place in memory, as C's `%p` writes it.
    var address: String { "0x" + String(UInt(bitPattern: self), radix: 16) }
}
