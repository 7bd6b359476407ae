import KeychainModel
import PropertyLists

/// The content of a signature's note, before any of it is verified.
///
///     desc      = version:u8 key identifier:text entitlements:bytes count:u8 statement:bytes × count
///                 digest:32 signature:64
///     key       = algorithm:u8 public:bytes                        ; 1 Ed25519, 32 bytes; 2 P-256, 04 ‖ X ‖ Y
///
/// The key signs "swift-keychain code signature v1" 00 ‖ everything before the signature. `entitlements` is the file
/// that the signer got, or empty. The statements lead from the team's first key to this one.
struct SignatureNote: Hashable, Sendable {
    var key: TeamPublicKey
    var identifier: String
    var entitlements: [UInt8]
    var chain: [TeamStatement]
    var codeDigest: [UInt8]

    private static let version: UInt8 = 1
    static let digestSize = 32
    static let domain = Array("swift-keychain code signature v1".utf8) + [0]
    /// Room for the largest value of every part.
    static let mostBytes = PropertyList.mostBytes + TeamChain.mostStatements * TeamStatement.mostBytes + 4096

    /// Everything before the signature.
    func unsigned() -> [UInt8] {
        var bytes = [Self.version]
        key.append(to: &bytes)
        bytes.append(run: Array(identifier.utf8))
        bytes.append(run: entitlements)
        bytes.append(UInt8(truncatingIfNeeded: chain.count))
        for statement in chain { bytes.append(run: statement.encoded) }
        return bytes + codeDigest
    }
}

extension SignatureNote {
    /// Reads a note and verifies its signature with the key that the note names.
    ///
    /// - Throws: `errSecMissingEntitlement`: `code.malformed`, `code.newer-format`, `code.wrong-signature`,
    ///   `team.wrong-signature`, `team.rotation`, `team.handover`.
    init(verifying bytes: [UInt8]) throws(Refusal) {
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == Self.version else { throw .newerSignature }
        key = try TeamPublicKey(from: &reader)
        identifier = try reader.text(atMost: CodeIdentifier.mostBytes)
        entitlements = try reader.run(atMost: PropertyList.mostBytes)
        let count = Int(try reader.integer(UInt8.self))
        guard count <= TeamChain.mostStatements else { throw .malformedCode("there are too many rotations") }
        chain = []
        for _ in 0..<count {
            chain.append(try TeamStatement(verifying: try reader.run(atMost: TeamStatement.mostBytes)))
        }
        codeDigest = try reader.array(Self.digestSize)
        let signed = Self.domain + bytes.prefix(reader.offset)
        let signature = try reader.array(TeamPublicKey.signatureSize)
        guard reader.isAtEnd else { throw .malformedCode("there is something behind the signature") }
        guard try key.verify(signature, of: signed) else { throw .wrongSignature }
    }
}
