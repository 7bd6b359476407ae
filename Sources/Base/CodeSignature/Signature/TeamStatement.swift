import DER
package import KeychainModel
import LinuxSystem

/// A signed statement of a team. A rotation says that another key speaks for the team from now on. A handover says that
/// a group of its items is now a group of another team.
///
///     statement = version:u8 kind:u8 team:20 issued:u64 count:u8 statement:bytes × count key content signature:64
///     content   = key                                            ; kind 1, rotation: the new key, in place of `key`
///     content   = from:text to:text                              ; kind 2, handover: groups with their teams' prefixes
///
/// `key` signs "swift-keychain team statement v1" 00 ‖ everything before the signature. A handover contains the
/// rotations that lead to `key`. A rotation contains none, because it is part of a chain itself. `issued` is in seconds
/// since 1970 and for people to read: a statement does not expire.
package struct TeamStatement: Hashable, Sendable {
    /// The team that made the statement. Of a rotation this is known only with its chain (``TeamChain``); of a handover
    /// it is verified.
    package let team: TeamID
    /// The key that signed.
    package let key: TeamPublicKey
    package let content: Content
    /// The time of signing, in seconds since 1970.
    package let issued: UInt64
    /// The statement's bytes.
    package let encoded: [UInt8]

    package enum Content: Hashable, Sendable {
        case rotation(to: TeamPublicKey)
        /// Whole names, each with the prefix of its team.
        case handover(from: String, to: String)

        fileprivate var kind: UInt8 {
            switch self {
            case .rotation: 1
            case .handover: 2
            }
        }
    }

    package static let label = "KEYCHAIN TEAM STATEMENT"
    static let mostBytes = 8 << 10
    private static let version: UInt8 = 1
    private static let domain = Array("swift-keychain team statement v1".utf8) + [0]

    /// Verifies the form and the signature of a statement. Of a handover it also verifies that the key is its team's,
    /// and that each group belongs to a team.
    ///
    /// - Throws: `errSecMissingEntitlement`: `code.malformed`, `team.wrong-signature`, `team.rotation`,
    ///   `team.handover`.
    package init(verifying bytes: [UInt8]) throws(Refusal) {
        guard bytes.count <= Self.mostBytes else { throw .malformedCode("a statement is too large") }
        var reader = ByteReader(bytes)
        guard try reader.integer(UInt8.self) == Self.version else { throw .newerSignature }
        let kind = try reader.integer(UInt8.self)
        guard let name = String(validating: try reader.array(TeamID.size), as: UTF8.self), let team = TeamID(text: name)
        else { throw .malformedCode("a statement's team cannot be read") }
        (self.team, issued) = (team, try reader.integer(UInt64.self))
        let chain = try Self.chain(&reader, allowed: kind == 2)
        key = try TeamPublicKey(from: &reader)
        content = try Self.content(kind, &reader)
        let signed = Self.domain + bytes.prefix(reader.offset)
        let signature = try reader.array(TeamPublicKey.signatureSize)
        guard reader.isAtEnd else { throw .malformedCode("there is something behind a statement") }
        guard try key.verify(signature, of: signed) else { throw .wrongStatementSignature }
        encoded = bytes
        try checkHandover(chain)
    }

    private static func chain(_ reader: inout ByteReader, allowed: Bool) throws(Refusal) -> [TeamStatement] {
        let count = Int(try reader.integer(UInt8.self))
        guard count <= (allowed ? TeamChain.mostStatements : 0) else {
            throw .malformedCode("a statement has too many rotations")
        }
        var chain: [TeamStatement] = []
        for _ in 0..<count {
            let link = try TeamStatement(verifying: try reader.run(atMost: TeamStatement.mostBytes))
            guard case .rotation = link.content else { throw .brokenChain }
            chain.append(link)
        }
        return chain
    }

    private static func content(_ kind: UInt8, _ reader: inout ByteReader) throws(Refusal) -> Content {
        switch kind {
        case 1: return .rotation(to: try TeamPublicKey(from: &reader))
        case 2:
            let limit = GroupNames.mostBytes
            return .handover(from: try reader.text(atMost: limit), to: try reader.text(atMost: limit))
        default: throw .newerSignature
        }
    }

    private func checkHandover(_ chain: [TeamStatement]) throws(Refusal) {
        guard case .handover(let from, let to) = content else { return }
        guard try TeamChain(chain, to: key).team == team else { throw .brokenChain }
        guard TeamID(ofGroup: from) == team, TeamID(ofGroup: to) != nil, from != to else {
            throw .wrongHandover(from, to, team)
        }
        for group in [from, to] { try GroupNames.checkText(group) }
    }

    /// Signs a statement and verifies it.
    ///
    /// - Parameters:
    ///   - chain: the rotations from the team's first key to the signer's.
    ///   - issued: seconds since 1970.
    /// - Throws: the errors of ``init(verifying:)`` and of the signer.
    package static func make(
        _ content: Content, by signer: any TeamSigner, chain: TeamChain, issued: UInt64
    ) throws(Refusal) -> TeamStatement {
        var links: [TeamStatement] = []
        if case .handover = content { links = chain.statements }
        var bytes = [version, content.kind] + Array(chain.team.text.utf8)
        bytes.append(littleEndian: issued)
        bytes.append(UInt8(truncatingIfNeeded: links.count))
        for link in links { bytes.append(run: link.encoded) }
        signer.publicKey.append(to: &bytes)
        switch content {
        case .rotation(let key): key.append(to: &bytes)
        case .handover(let from, let to): for group in [from, to] { bytes.append(run: Array(group.utf8)) }
        }
        return try TeamStatement(verifying: bytes + signer.sign(domain + bytes))
    }
}

// MARK: - Text

extension TeamStatement {
    /// The statement as a file: PEM.
    package var pem: String { PEM.text(label: Self.label, encoded.span) }

    /// Reads the file of one statement and verifies it.
    ///
    /// - Throws: the errors of ``init(verifying:)``; `code.malformed` when the text is not exactly one statement in
    ///   PEM.
    package static func verify(_ text: [UInt8]) throws(Refusal) -> TeamStatement {
        let all = try statements(in: text)
        guard let statement = all.first, all.count == 1 else {
            throw .malformedCode("the file is not one team statement")
        }
        return statement
    }

    /// Reads and verifies all statements of a text, which may hold other PEM blocks too.
    ///
    /// - Throws: as ``verify(_:)``.
    package static func statements(in text: [UInt8]) throws(Refusal) -> [TeamStatement] {
        let blocks: [PEM]
        do throws(PEM.Malformed) { blocks = try PEM.read(text.span) } catch {
            throw .malformedCode("the file is not in PEM")
        }
        return try statements(among: blocks)
    }

    static func statements(among blocks: [PEM]) throws(Refusal) -> [TeamStatement] {
        var statements: [TeamStatement] = []
        for block in blocks where block.label == label {
            guard block.content.count <= mostBytes else { throw .malformedCode("a statement is too large") }
            statements.append(try TeamStatement(verifying: block.content.withSpan { $0.array(0, $0.count) }))
        }
        return statements
    }
}

extension Refusal {
    fileprivate static func wrongHandover(_ from: String, _ to: String, _ team: TeamID) -> Refusal {
        Refusal(
            .missingEntitlement, .wrongHandover, from, "\(team.text) cannot hand over \(from) to \(to).",
            do: "A team hands over groups that begin with its own Team ID, to groups that begin with another's.")
    }
}
