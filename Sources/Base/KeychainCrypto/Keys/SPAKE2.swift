import KeychainModel
package import LinuxSystem

/// One side of SPAKE2 (RFC 9382) with P-256, SHA-256, HKDF and HMAC: two sides that know the same few digits make a
/// strong key. A carrier of their messages can guess once for each message that they answer, and not afterwards.
///
///     pA = x·G + w·M    pB = y·G + w·N    K = x·(pB − w·N) = y·(pA − w·M)
///     TT = length:u64 A ‖ length:u64 B ‖ length:u64 pA ‖ length:u64 pB ‖ length:u64 K ‖ length:u64 w
///     Ke:16 ‖ Ka:16   = SHA-256(TT)
///     KcA:16 ‖ KcB:16 = HKDF-SHA256(Ka, no salt, "ConfirmationKeys" ‖ associated data)
///     cA = HMAC-SHA256(KcA, TT)    cB = HMAC-SHA256(KcB, TT)
///
/// Points are 04 ‖ X ‖ Y, w and K are secret. A side serves for one answer: its share is never sent twice.
package final class SPAKE2 {
    /// The sides of the RFC: A and B. Their names are part of the key.
    package enum Side: Sendable { case first, second }

    /// The names of the sides in the transcript: A and B of the RFC.
    package struct Names: Sendable {
        let first, second: [UInt8]

        package init(first: String, second: String) {
            (self.first, self.second) = (Array(first.utf8), Array(second.utf8))
        }
    }

    /// The keys that both sides have when they know the same, and have seen the same messages.
    package struct Keys {
        /// Ke: 16 bytes, to derive keys from.
        package let shared: SecretBytes
        /// The proof that this side sends.
        package let confirmation: [UInt8]
        fileprivate let expected: [UInt8]

        /// Whether this is what the other side sends. Without it the key must not be used.
        package func isConfirmed(by confirmation: Span<UInt8>) -> Bool {
            ConstantTime.areEqual(expected.span, confirmation)
        }
    }

    /// The size of a share in bytes.
    package static let shareSize = CurveP256.pointSize
    /// pA or pB, for the other side.
    package let share: [UInt8]
    private let side: Side
    private let curve: CurveP256
    private let own, password: BigNumber

    /// Begins.
    ///
    /// - Parameter password: at least 40 bytes that a derivation has made of what both know; w is their remainder.
    /// - Throws: `CryptoError.invalidParameter` for fewer bytes; `.libraryFailure`.
    package convenience init(_ side: Side, password: SecretBytes) throws(CryptoError) {
        guard password.count >= CurveP256.scalarSize + 8 else { throw .invalidParameter }
        let curve = try CurveP256()
        let number = try password.withSpan { (password) throws(CryptoError) in try curve.scalar(password) }
        try self.init(side, curve, password: number, own: curve.randomScalar())
    }

    /// Begins with a given number, which must never serve twice: for the published vectors.
    init(_ side: Side, _ curve: CurveP256, password: BigNumber, own: BigNumber) throws(CryptoError) {
        (self.side, self.curve, self.password, self.own) = (side, curve, password, own)
        let blind = try Self.blind(side, curve, password)
        let point = try curve.sum(curve.product(own), blind)
        share = try curve.bytes(of: point).public
    }

    /// w·M or w·N: what hides the share of a side.
    private static func blind(
        _ side: Side, _ curve: CurveP256, _ password: BigNumber
    ) throws(CryptoError) -> CurveP256.Point {
        let point = try curve.point((side == .first ? pointM : pointN).span)
        return try curve.product(password, point)
    }

    /// Takes the other side's share.
    ///
    /// - Parameter associatedData: what both sides must agree in, and is in no message.
    /// - Throws: `CryptoError.malformedKey` for bytes that are no point of the curve, or one that anyone could have
    ///   sent who knows the password and no secret; `.libraryFailure`.
    package func keys(
        with other: Span<UInt8>, _ names: Names, associatedData: Span<UInt8>
    ) throws(CryptoError) -> Keys {
        guard other.count == Self.shareSize else { throw .malformedKey }
        let point = try curve.point(other)
        let bare = try curve.difference(point, Self.blind(side == .first ? .second : .first, curve, password))
        let shared = try curve.bytes(of: curve.product(own, bare))
        let transcript = try transcript(names, other.array(0, other.count), shared)
        return try schedule(transcript, associatedData)
    }

    private func transcript(
        _ names: Names, _ other: [UInt8], _ shared: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        let shares = side == .first ? [share, other] : [other, share]
        let buffer = SecretBuffer(capacity: 512)
        for part in [names.first, names.second] + shares { buffer.append(counted: part.span) }
        shared.withSpan { buffer.append(counted: $0) }
        let number = SecretBytes(count: CurveP256.scalarSize)
        try number.withMutableSpan { (span) throws(CryptoError) in
            try password.write(to: &span, at: 0, count: CurveP256.scalarSize)
        }
        number.withSpan { buffer.append(counted: $0) }
        return buffer.finish()
    }

    /// The key schedule (RFC 9382, section 4).
    private func schedule(
        _ transcript: SecretBytes, _ associatedData: Span<UInt8>
    ) throws(CryptoError) -> Keys {
        let (shared, forConfirmations) = Self.halves(of: try Digest.sha256(secret: transcript))
        let info = Array("ConfirmationKeys".utf8) + associatedData.array(0, associatedData.count)
        let derived = try forConfirmations.withSpan { (key) throws(CryptoError) in
            try HKDF.derive(from: key, salt: Span(), info: info.span, count: 32)
        }
        let keys = Self.halves(of: derived)
        let first = try Self.confirmation(keys.0, of: transcript)
        let second = try Self.confirmation(keys.1, of: transcript)
        return side == .first
            ? Keys(shared: shared, confirmation: first, expected: second)
            : Keys(shared: shared, confirmation: second, expected: first)
    }

    private static func halves(of bytes: SecretBytes) -> (SecretBytes, SecretBytes) {
        bytes.withSpan { bytes in
            (SecretBytes(copying: bytes.extracting(..<16)), SecretBytes(copying: bytes.extracting(16...)))
        }
    }

    private static func confirmation(_ key: SecretBytes, of transcript: SecretBytes) throws(CryptoError) -> [UInt8] {
        let context = try key.withSpan { (key) throws(CryptoError) in try HMACContext(.sha256, key: key) }
        try transcript.withSpan { (transcript) throws(CryptoError) in try context.update(transcript) }
        return try context.finish()
    }

    // Points of which nobody knows the logarithm (RFC 9382, section 6).
    private static let pointM: [UInt8] = [
        0x02, 0x88, 0x6e, 0x2f, 0x97, 0xac, 0xe4, 0x6e, 0x55, 0xba, 0x9d, 0xd7, 0x24, 0x25, 0x79, 0xf2, 0x99,
        0x3b, 0x64, 0xe1, 0x6e, 0xf3, 0xdc, 0xab, 0x95, 0xaf, 0xd4, 0x97, 0x33, 0x3d, 0x8f, 0xa1, 0x2f,
    ]
    private static let pointN: [UInt8] = [
        0x03, 0xd8, 0xbb, 0xd6, 0xc6, 0x39, 0xc6, 0x29, 0x37, 0xb0, 0x4d, 0x99, 0x7f, 0x38, 0xc3, 0x77, 0x07,
        0x19, 0xc6, 0x29, 0xd7, 0x01, 0x4d, 0x49, 0xa2, 0x4b, 0x4f, 0x98, 0xba, 0xa1, 0x29, 0x2b, 0x49,
    ]
}

extension SecretBuffer {
    /// length:u64, least significant byte first, and the bytes.
    fileprivate func append(counted bytes: Span<UInt8>) {
        append(littleEndian: UInt64(bytes.count))
        append(bytes)
    }
}
