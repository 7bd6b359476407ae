package import LinuxSystem

/// One pairing of two machines.
package struct PairingID: SyncIdentifier {
    package let number: UInt128
    package init(number: UInt128) { self.number = number }
}

/// The name under which a transport keeps a message of a pairing.
///
///     slot = "pair/" session "/" step:1                                 ; lower-case hexadecimal, step from 0 to 3
package struct PairingSlot: Hashable, Sendable {
    /// The messages of a pairing, one after the other.
    package enum Step: UInt8, Sendable, CaseIterable {
        /// Of the member: its share.
        case share = 0
        /// Of the newcomer: its share, and the proof that it knows the digits.
        case answer = 1
        /// Of the member: the same proof, and the circle.
        case welcome = 2
        /// Of the newcomer: its keys and its name.
        case introduction = 3
    }

    package let session: PairingID
    package let step: Step

    package init(_ session: PairingID, _ step: Step) { (self.session, self.step) = (session, step) }

    /// - Throws: ``SyncMalformed`` for a number that no step has.
    init(_ session: PairingID, number: UInt8) throws(SyncMalformed) {
        guard let step = Step(rawValue: number) else { throw .value }
        (self.session, self.step) = (session, step)
    }

    /// The slot's one spelling.
    package var text: String { "pair/\(session.text)/\(hexadecimal(step.rawValue, digits: 1))" }

    /// - Throws: ``SyncMalformed`` when the text is not exactly the name of a slot.
    package init(_ text: String) throws(SyncMalformed) {
        let words = text.split(separator: "/", omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "pair" else { throw .mark }
        try self.init(PairingID(number: try digits(words[1], 32)), number: try digits(words[2], 1))
    }
}

/// The versions that a machine reads.
package struct PairingVersions: Hashable, Sendable {
    package let least, most: UInt16

    package init(least: UInt16 = SyncLimits.firstVersion, most: UInt16 = SyncLimits.version) {
        (self.least, self.most) = (least, most)
    }

    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: least)
        bytes.append(littleEndian: most)
        return bytes
    }
}

/// A message of a pairing, which fills its slot.
///
///     message = head body
///     head    = "KCJ1" session:16 step:u8 0:u8 least:u16 most:u16                          ; 26 bytes
///     body    = share:65 | share:65 confirmation:32 | confirmation:32 box | box              ; by the step
package struct PairingMessage: Equatable, Sendable {
    package static let headSize = 26
    /// A message with the largest vector of positions has less.
    package static let mostBytes = 16 << 10

    package let slot: PairingSlot
    package let versions: PairingVersions
    /// A point, empty in steps without one.
    package let share: [UInt8]
    /// Empty in steps without one.
    package let confirmation: [UInt8]
    /// Empty in steps without one.
    package let box: [UInt8]

    package init(
        _ slot: PairingSlot, _ versions: PairingVersions, share: [UInt8] = [], confirmation: [UInt8] = [],
        box: [UInt8] = []
    ) {
        (self.slot, self.versions) = (slot, versions)
        (self.share, self.confirmation, self.box) = (share, confirmation, box)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a message.
    package init(decoding bytes: [UInt8]) throws(SyncMalformed) {
        guard bytes.count <= Self.mostBytes else { throw .length }
        var cursor = SyncCursor(bytes.indices)
        let span = bytes.span
        guard try cursor.array(4, in: span) == Self.mark else { throw .mark }
        let session = try cursor.identifier(PairingID.self, in: span)
        slot = try PairingSlot(session, number: try cursor.integer(UInt8.self, in: span))
        guard try cursor.integer(UInt8.self, in: span) == 0 else { throw .value }
        versions = PairingVersions(
            least: try cursor.integer(UInt16.self, in: span), most: try cursor.integer(UInt16.self, in: span))
        guard versions.least > 0, versions.least <= versions.most else { throw .value }
        let step = slot.step
        share = try cursor.array(step == .share || step == .answer ? MemberKeys.pointSize : 0, in: span)
        confirmation = try cursor.array(step == .answer || step == .welcome ? BatchHash.size : 0, in: span)
        let hasBox = step == .welcome || step == .introduction
        box = try cursor.array(hasBox ? cursor.remaining : 0, in: span)
        try cursor.finish()
    }

    private static let mark = Array("KCJ1".utf8)

    /// The part before the body, to which the box is bound.
    package var head: [UInt8] { Self.mark + slot.session.bytes + [slot.step.rawValue, 0] + versions.bytes }
    package var bytes: [UInt8] { head + share + confirmation + box }
}

/// The circle, for a newcomer that knows the digits.
///
///     welcome = circle:16 member:16 nameLength:u32 name count:u32 *position tokenLength:u32 token
///
/// Positions are written as in a batch.
package struct PairingWelcome: Sendable {
    /// Of the token with which the newcomer opens the transport.
    package static let tokenBytes = 1024

    package let circle: CircleID
    /// The machine that writes this: the newcomer starts from what it has read.
    package let member: MemberID
    /// The member's own name, for people.
    package let name: [UInt8]
    /// By ascending device.
    package let positions: [SyncPosition]
    /// Empty where the transport has none.
    package let token: SecretBytes

    package init(
        _ circle: CircleID, _ member: MemberID, name: [UInt8], positions: [SyncPosition], token: SecretBytes
    ) {
        (self.circle, self.member, self.name) = (circle, member, name)
        (self.positions, self.token) = (positions, token)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a welcome.
    package init(decoding bytes: SecretBytes) throws(SyncMalformed) {
        var cursor = SyncCursor(0..<bytes.count)
        (circle, member, name, positions, token) = try bytes.withSpan { (span) throws(SyncMalformed) in
            let circle = try cursor.identifier(CircleID.self, in: span)
            let member = try cursor.identifier(MemberID.self, in: span)
            let spelling = try cursor.run(atMost: SyncLimits.nameBytes, in: span)
            let name = span.array(spelling.lowerBound, spelling.count)
            let positions = try SyncPosition.list(&cursor, in: span)
            let token = try cursor.run(atMost: Self.tokenBytes, in: span)
            try cursor.finish()
            return (circle, member, name, positions, SecretBytes(copying: span.extracting(token)))
        }
    }

    package func encoded() -> SecretBytes {
        let buffer = SecretBuffer(capacity: 256)
        for identifier in [circle.bytes, member.bytes] { buffer.append(identifier.span) }
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: name.count))
        buffer.append(name.span)
        SyncPosition.append(positions, to: buffer)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: token.count))
        token.withSpan { buffer.append($0) }
        return buffer.finish()
    }
}

/// The newcomer, for the member that has welcomed it.
///
///     introduction = signing:65 agreement:65 nameLength:u32 name signature:64
package struct PairingIntroduction: Equatable, Sendable {
    package let keys: MemberKeys
    package let name: [UInt8]
    /// By the newcomer's signing key: r ‖ s.
    package let signature: [UInt8]

    package init(_ keys: MemberKeys, name: [UInt8], signature: [UInt8]) {
        (self.keys, self.name, self.signature) = (keys, name, signature)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly an introduction.
    package init(decoding bytes: [UInt8]) throws(SyncMalformed) {
        var cursor = SyncCursor(bytes.indices)
        let span = bytes.span
        keys = try MemberKeys(&cursor, in: span)
        let range = try cursor.run(atMost: SyncLimits.nameBytes, in: span)
        name = span.array(range.lowerBound, range.count)
        signature = try cursor.array(SyncBatch.signatureSize, in: span)
        try cursor.finish()
    }

    package var bytes: [UInt8] {
        var bytes = keys.bytes
        bytes.append(run: name)
        return bytes + signature
    }

    /// The bytes that the newcomer signs, so that its signature is good for this pairing and nothing else.
    package static func signed(
        _ keys: MemberKeys, name: [UInt8], _ slot: PairingSlot, _ versions: PairingVersions, in circle: CircleID,
        with member: MemberID
    ) -> [UInt8] {
        var bytes = Array("keychain sync 1: pair".utf8) + slot.session.bytes + [slot.step.rawValue]
        bytes += versions.bytes + circle.bytes + member.bytes + keys.bytes
        bytes.append(run: name)
        return bytes
    }
}
