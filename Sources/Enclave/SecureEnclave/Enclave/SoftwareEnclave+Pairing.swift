package import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Pairing (docs/formats/sync.md, section 11): keys come into the circle from a machine whose user knows the digits.
extension SoftwareEnclave {
    // MARK: - The member

    package func beginPairing() throws(Refusal) -> [UInt8] {
        try circleRecord().requireIn()
        let now = clock.seconds()
        let (message, shown) = try pairing.withLock { (pairing) throws(Refusal) in
            let shown = pairing?.shown
            do throws(CryptoError) { pairing = try Pairing(at: now) } catch { throw .crypto(error) }
            return (pairing?.offer?.bytes, shown)
        }
        close(shown)
        guard let message else { throw .noPairing }
        return message
    }

    /// Ends the question that shows the digits.
    private func close(_ shown: AuthenticationContext?) {
        if let shown { user.queue.withdraw(shown, from: user.agent) }
    }

    package func showDigits(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal) {
        guard user.agent != nil else { throw .nobodyToAsk }
        let (session, digits, rest) = try changePairing { (pairing, now) throws(Refusal) in
            guard let digits = pairing.show(in: question.context) else { throw .noPairing }
            return (pairing.session, digits, pairing.rest(at: now))
        }
        do throws(Refusal) {
            try converse(question, by: min(deadline, .after(milliseconds: rest))) { (dialogue) throws(Refusal) in
                try dialogue.show(digits, as: .shownDigits)
            }
        } catch {
            if error.rule == .withdrawn, pairing.withLock({ $0?.session == session && $0?.isConfirmed == true }) {
                return
            }
            // Nobody has seen the digits, or the user wants no machine.
            if error.rule != .withdrawn, error.rule != .deadline { endPairing(session) }
            throw error
        }
    }

    package func answerPairing(
        _ message: [UInt8], name: String, positions: [SyncPosition], token: SecretBytes
    ) throws(Refusal) -> [UInt8] {
        let record = try circleRecord()
        try record.requireIn()
        let answer = try read(message, .answer)
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        let welcome = PairingWelcome(
            record.circle, record.own.id, name: Array(name.utf8), positions: positions, token: token)
        // Others must be able to read it.
        guard (try? PairingWelcome(decoding: welcome.encoded())) != nil else { throw .malformedMachine }
        let (next, shown) = try changePairing { (pairing, _) throws(Refusal) in
            (try pairing.take(answer, welcome: welcome), pairing.shown)
        }
        if next == nil { endPairing(answer.slot.session) }
        close(shown)
        guard let next else { throw .wrongDigits }
        return next.bytes
    }

    package func addPaired(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        let record = try circleRecord()
        let message = try read(message, .introduction)
        let introduction = try changePairing { (pairing, _) throws(Refusal) in try pairing.open(message) }
        let (keys, name) = (introduction.keys, introduction.name)
        let signed = PairingIntroduction.signed(
            keys, name: name, message.slot, message.versions, in: record.circle, with: record.own.id)
        guard try keys.hasSigned(introduction.signature, of: signed), let text = name.span.text(0, name.count) else {
            throw .malformedPairing
        }
        do throws(Refusal) {
            let statements = try add(keys, message.versions, name: text, asking: question, by: deadline)
            endPairing(message.slot.session)
            return statements
        } catch {
            if error.status == .userCanceled { endPairing(message.slot.session) }
            throw error
        }
    }

    // MARK: - The newcomer

    package func joinPairing(
        _ message: [UInt8], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [UInt8] {
        let offer = try read(message, .share)
        guard try circle() == nil else { throw .circleIsThere }
        guard try means().hasPasscode else { throw .circleNeedsPasscode }
        let began = clock.seconds()
        try requireUnanswered(offer)
        var entered: SecretBytes?
        try converse(question, by: deadline) { (dialogue) throws(Refusal) in
            entered = try dialogue.ask(.digits, reading: PairingSecrets.digits)
        }
        guard let digits = entered else { throw .malformedDigits }
        return try pairing.withLock { (pairing) throws(Refusal) in
            // Meanwhile another call may have answered it.
            guard pairing?.session != offer.slot.session else { throw .noPairing }
            let (next, answer) = try Pairing.answer(offer, digits, at: began)
            pairing = next
            return answer.bytes
        }
    }

    /// A share is answered once.
    private func requireUnanswered(_ offer: PairingMessage) throws(Refusal) {
        guard pairing.withLock({ $0?.session }) != offer.slot.session else { throw .noPairing }
    }

    package func finishPairing(_ message: [UInt8]) throws(Refusal) -> PairingWelcome {
        let message = try read(message, .welcome)
        do throws(Refusal) {
            return try changePairing { (pairing, _) throws(Refusal) in try pairing.take(message) }
        } catch {
            if error.rule == .wrongDigits { endPairing(message.slot.session) }
            throw error
        }
    }

    package func introduce(name: String) throws(Refusal) -> [UInt8] {
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        let record = try circleRecord()
        let message = try changePairing { (pairing, _) throws(Refusal) in
            try pairing.introduce(record.own.keys, name, in: record.circle) { (bytes) throws(Refusal) in
                try sign(bytes, in: record)
            }
        }
        endPairing(message.slot.session)
        return message.bytes
    }

    // MARK: - Both

    /// Reads a message of a step.
    private func read(_ bytes: [UInt8], _ step: PairingSlot.Step) throws(Refusal) -> PairingMessage {
        guard let message = try? PairingMessage(decoding: bytes), message.slot.step == step else {
            throw .malformedPairing
        }
        guard message.versions.least <= SyncLimits.version else { throw .laterBatch }
        return message
    }

    /// Changes the pairing that is under way.
    private func changePairing<Result: Sendable>(
        _ change: (inout Pairing, UInt64) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let now = clock.seconds()
        return try pairing.withLock { (pairing) throws(Refusal) in
            guard var current = pairing, !current.isOver(at: now) else {
                pairing = nil
                throw .noPairing
            }
            let result = try change(&current, now)
            pairing = current
            return result
        }
    }

    /// Forgets the pairing, if it is this one.
    private func endPairing(_ session: PairingID) {
        pairing.withLock { if $0?.session == session { $0 = nil } }
    }
}
