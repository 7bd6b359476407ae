import LinuxSystem

/// The public keys of a machine or of a recovery key: points of P-256, 04 ‖ X ‖ Y.
package struct MemberKeys: Hashable, Sendable {
    package static let pointSize = 65
    package let signing: [UInt8]
    package let agreement: [UInt8]

    package init(signing: [UInt8], agreement: [UInt8]) { (self.signing, self.agreement) = (signing, agreement) }

    init(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        signing = try cursor.array(Self.pointSize, in: span)
        agreement = try cursor.array(Self.pointSize, in: span)
        guard signing[0] == 4, agreement[0] == 4 else { throw .value }
    }

    /// Both keys, one after the other; a member's identifier is the beginning of SHA-256 of them.
    package var bytes: [UInt8] { signing + agreement }
}

/// The keys of a generation for one recipient: HPKE, encapsulated key and ciphertext.
package struct KeyShare: Hashable, Sendable {
    /// Ka, Kc and the record key, and the tag.
    package static let boxSize = 3 * 32 + 16
    package let recipient: MemberID
    package let encapsulated: [UInt8]
    package let box: [UInt8]

    package init(recipient: MemberID, encapsulated: [UInt8], box: [UInt8]) {
        (self.recipient, self.encapsulated, self.box) = (recipient, encapsulated, box)
    }

    static func list(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) -> [KeyShare] {
        var shares: [KeyShare] = []
        for _ in 0..<(try cursor.count(atMost: SyncLimits.recipients, in: span)) {
            let recipient = try cursor.identifier(MemberID.self, in: span)
            let encapsulated = try cursor.array(MemberKeys.pointSize, in: span)
            shares.append(
                KeyShare(recipient: recipient, encapsulated: encapsulated, box: try cursor.array(boxSize, in: span)))
        }
        try requireAscending(shares.map(\.recipient))
        return shares
    }

    static func bytes(_ shares: [KeyShare]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: shares.count))
        return shares.reduce(into: bytes) { $0 += $1.recipient.bytes + $1.encapsulated + $1.box }
    }
}

/// A machine that is added to the circle, and the one that vouches for it.
package struct Addition: Hashable, Sendable {
    package let keys: MemberKeys
    /// The oldest and the newest version that the machine reads.
    package let least: UInt16
    package let most: UInt16
    /// The recovery key that signed; none where the batch's author is the sponsor.
    package let recoveryKey: MemberID
    /// The recovery key's signature; zeros without one.
    package let signature: [UInt8]
    /// The machine's name, sealed under the generation of the batch.
    package let name: [UInt8]

    package init(
        _ keys: MemberKeys, least: UInt16 = SyncLimits.firstVersion, most: UInt16 = SyncLimits.version,
        recoveryKey: MemberID = .none, signature: [UInt8] = [UInt8](repeating: 0, count: SyncBatch.signatureSize),
        name: [UInt8] = []
    ) {
        (self.keys, self.least, self.most, self.recoveryKey) = (keys, least, most, recoveryKey)
        (self.signature, self.name) = (signature, name)
    }

    /// The bytes that a recovery key signs, so that its signature adds this machine to this circle and nothing else.
    package func signed(in circle: CircleID) -> [UInt8] {
        var bytes = Array("keychain sync 1: recovery".utf8) + circle.bytes + keys.bytes
        bytes.append(littleEndian: least)
        bytes.append(littleEndian: most)
        return bytes + recoveryKey.bytes
    }
}

/// Keys that are made together, with the shares of those that get them.
package struct Generation: Hashable, Sendable {
    package let number: UInt32
    /// SHA-256 of domain, circle, number and the three keys: every recipient checks that all got the same.
    package let commitment: BatchHash
    package let shares: [KeyShare]

    package init(number: UInt32, commitment: BatchHash, shares: [KeyShare]) {
        (self.number, self.commitment, self.shares) = (number, commitment, shares)
    }

    /// The generation's name is made of its keys, so that no others can have it.
    package var id: GenerationID { GenerationID(commitment.bytes) }
}

/// A statement in the open part of a batch. Its author is the batch's, its place the batch's position.
///
///     statement = type:u8 0:u8 0:u16 length:u32 body
package enum SyncStatement: Hashable, Sendable {
    /// Why a member is removed.
    package enum Reason: UInt8, CaseIterable, Sendable { case user = 1, expired = 2, cloned = 3, forked = 4 }

    /// 1: the first statement of a circle, whose name is made of its body. `random` makes two circles differ.
    case genesis(MemberKeys, random: BatchHash)
    /// 2: a machine belongs to the circle.
    case add(Addition)
    /// 3: a member is out for ever, and so are those it introduced that are not in `kept`.
    case remove(MemberID, Reason, kept: [MemberID])
    /// 4: keys for later batches.
    case generation(Generation)
    /// 5: a generation's keys for those who lack them; what it says of the generation is as in the generation.
    case share(Generation)
    /// 6: a recovery key belongs to the circle. `announcement` is made with the code, so that nobody else can make it.
    case recovery(MemberKeys, announcement: BatchHash)
    /// 7: the author lacks the keys of a generation.
    case want(GenerationID)
    /// 8: the author has compared the snapshot of a batch with what it has itself, and found nothing else.
    case endorse(SyncPosition)
    /// A statement of a later version. Reading stops before its batch.
    case unknown(type: UInt8, body: [UInt8])
}
