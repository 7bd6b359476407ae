import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The pairing that is under way on this machine, as a member or as a newcomer.
///
/// Its guarantees:
/// 1. Nothing is sealed or opened before the other side has proved that it knows the digits.
/// 2. The first answer that does not confirm ends it, whatever is wrong with it. A share is answered to once.
/// 3. It ends ten minutes after it began.
struct Pairing {
    enum Stage {
        /// On the member: its share is out.
        case offered(SPAKE2)
        /// On the member: the newcomer knows the digits, seals under this key, and reads these versions.
        case confirmed(SecretBytes, PairingVersions)
        /// On the newcomer: its share and its proof are out.
        case answered(SPAKE2.Keys)
        /// On the newcomer: the member knows the digits, and has named its circle.
        case welcomed(SecretBytes, PairingWelcome)
    }

    /// How long digits may be entered.
    private static let seconds: UInt64 = 600

    let session: PairingID
    private let begun: UInt64
    /// On the member alone.
    private let digits: SecretBytes?
    private(set) var stage: Stage
    /// The question that shows the digits; nil before.
    private(set) var shown: AuthenticationContext?

    private init(_ session: PairingID, begun: UInt64, _ digits: SecretBytes? = nil, stage: Stage) {
        (self.session, self.begun, self.digits, self.stage) = (session, begun, digits, stage)
    }

    /// Whether it is too late, or the clock is another one.
    func isOver(at now: UInt64) -> Bool { now < begun || now - begun > Self.seconds }

    /// Until its end, in milliseconds.
    func rest(at now: UInt64) -> Int { isOver(at: now) ? 0 : Int(Self.seconds - (now - begun)) * 1000 }

    private func slot(_ step: PairingSlot.Step) -> PairingSlot { PairingSlot(session, step) }

    /// Whether the newcomer knows the digits.
    var isConfirmed: Bool { if case .confirmed = stage { true } else { false } }
}

// MARK: - The member

extension Pairing {
    /// Begins on a member.
    init(at now: UInt64) throws(CryptoError) {
        let (session, digits) = (PairingID(Randomness.bytes(PairingID.size)), PairingSecrets.newDigits())
        let side = try PairingSecrets.side(.first, digits, in: session)
        self.init(session, begun: now, digits, stage: .offered(side))
    }

    /// The message with the member's share; nil when it is out of turn.
    var offer: PairingMessage? {
        guard case .offered(let side) = stage else { return nil }
        return PairingMessage(slot(.share), PairingVersions(), share: side.share)
    }

    /// The digits for people, while they serve.
    mutating func show(in context: AuthenticationContext) -> String? {
        guard case .offered = stage, let digits else { return nil }
        shown = context
        return PairingSecrets.shown(digits)
    }

    /// Takes an answer: the welcome is the next message. Nil for an answer without the right digits.
    mutating func take(_ answer: PairingMessage, welcome: PairingWelcome) throws(Refusal) -> PairingMessage? {
        // Nobody can know digits that no one has seen.
        guard case .offered(let side) = stage, shown != nil else { throw .noPairing }
        guard answer.slot == slot(.answer) else { throw .malformedPairing }
        let versions = PairingVersions()
        do throws(CryptoError) {
            guard let keys = Self.proved(side, answer, member: versions) else { return nil }
            let box = try PairingSecrets.sealed(welcome.encoded(), in: slot(.welcome), versions, under: keys.shared)
            stage = .confirmed(keys.shared, answer.versions)
            return PairingMessage(slot(.welcome), versions, confirmation: keys.confirmation, box: box)
        } catch { throw .crypto(error) }
    }

    /// The keys of a pairing whose answer proves that its author knows the digits.
    private static func proved(
        _ side: SPAKE2, _ answer: PairingMessage, member: PairingVersions
    ) -> SPAKE2.Keys? {
        let keys = try? PairingSecrets.keys(
            side, with: answer.share, in: answer.slot, member: member, newcomer: answer.versions)
        return keys.flatMap { $0.isConfirmed(by: answer.confirmation.span) ? $0 : nil }
    }

    /// Opens an introduction of the newcomer that knew the digits.
    func open(_ message: PairingMessage) throws(Refusal) -> PairingIntroduction {
        guard case .confirmed(let key, let versions) = stage else { throw .noPairing }
        guard message.slot == slot(.introduction), message.versions == versions,
            let content = try? PairingSecrets.open(message, under: key),
            let introduction = try? PairingIntroduction(decoding: content.withSpan { $0.array(0, $0.count) })
        else { throw .malformedPairing }
        return introduction
    }
}

// MARK: - The newcomer

extension Pairing {
    /// Answers on a newcomer.
    static func answer(
        _ offer: PairingMessage, _ digits: SecretBytes, at now: UInt64
    ) throws(Refusal) -> (pairing: Pairing, message: PairingMessage) {
        let (offered, versions) = (offer.slot, PairingVersions())
        do throws(CryptoError) {
            let side = try PairingSecrets.side(.second, digits, in: offered.session)
            let keys = try PairingSecrets.keys(
                side, with: offer.share, in: offered, member: offer.versions, newcomer: versions)
            let pairing = Pairing(offered.session, begun: now, stage: .answered(keys))
            let message = PairingMessage(
                pairing.slot(.answer), versions, share: side.share, confirmation: keys.confirmation)
            return (pairing, message)
        } catch { throw error == .malformedKey ? .malformedPairing : .crypto(error) }
    }

    /// Takes the welcome of a member that knows the digits.
    mutating func take(_ message: PairingMessage) throws(Refusal) -> PairingWelcome {
        guard case .answered(let keys) = stage else { throw .noPairing }
        guard message.slot == slot(.welcome) else { throw .malformedPairing }
        guard keys.isConfirmed(by: message.confirmation.span) else { throw .wrongDigits }
        guard let content = try? PairingSecrets.open(message, under: keys.shared),
            let welcome = try? PairingWelcome(decoding: content)
        else { throw .malformedPairing }
        stage = .welcomed(keys.shared, welcome)
        return welcome
    }

    /// The newcomer's introduction to the circle of the welcome.
    func introduce(
        _ keys: MemberKeys, _ name: String, in circle: CircleID, sign: ([UInt8]) throws(Refusal) -> [UInt8]
    ) throws(Refusal) -> PairingMessage {
        guard case .welcomed(let key, let welcome) = stage, welcome.circle == circle else { throw .noPairing }
        let (slot, versions, name) = (slot(.introduction), PairingVersions(), Array(name.utf8))
        let signed = PairingIntroduction.signed(keys, name: name, slot, versions, in: circle, with: welcome.member)
        let introduction = PairingIntroduction(keys, name: name, signature: try sign(signed))
        do throws(CryptoError) {
            let bytes = introduction.bytes
            let box = try PairingSecrets.sealed(SecretBytes(copying: bytes.span), in: slot, versions, under: key)
            return PairingMessage(slot, versions, box: box)
        } catch { throw .crypto(error) }
    }
}
