package import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// Machines that come and go. The user allows each with the keychain's passcode, which is counted as every try; the
/// words of the question are this enclave's.
extension SoftwareEnclave {
    /// Has the user allow a change.
    ///
    /// - Throws: as ``authenticate(_:by:)`` when the user does not; `errSecInteractionNotAllowed` while locked.
    func confirm(
        _ change: UserQuestion.Change, _ question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) {
        try requireOpen(.whenUnlocked)
        guard try means().hasPasscode else { throw .circleNeedsPasscode }
        let before = now
        try converse(question, by: deadline, allowing: change) { (dialogue) throws(Refusal) in
            let wanted = RequiredAuthentication(binding: AccessConstraint(flags: Self.passcodeFlag))
            _ = try dialogue.ask(wanted, try means(), shown: [])
        }
        guard now.generation == before.generation else { throw .withdrawn }
    }

    private static let passcodeFlag = AccessConstraint.Demand.devicePasscode.rawValue

    /// Puts questions about the circle, when it is their turn.
    func converse(
        _ question: CircleQuestion, by deadline: Deadline, allowing change: UserQuestion.Change? = nil,
        _ ask: (inout Dialogue) throws(Refusal) -> Void
    ) throws(Refusal) {
        guard user.agent != nil else { throw .nobodyToAsk }
        // With an identifier of its own the question is equal to no other, whose answer would serve it.
        let identifier = Randomness.bytes(ItemGuard.identifierBytes)
        let guards = [ItemGuard(identifier: identifier, flags: Self.passcodeFlag)]
        let task = AuthenticationTask(
            context: question.context, purpose: .items(guards: guards, .useItem), prompt: question.prompt)
        _ = try inTurn(task, by: deadline) { (number) throws(Refusal) in
            var dialogue = Dialogue(self, task, number, deadline, allowing: change)
            try ask(&dialogue)
            return AuthenticationResult(factors: [], enrolment: [])
        }
    }

    package func addMachine(
        _ keys: MemberKeys, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        try add(keys, PairingVersions(), name: name, asking: question, by: deadline)
    }

    /// Adds a machine that reads these versions, after asking the user.
    func add(
        _ keys: MemberKeys, _ versions: PairingVersions, name: String, asking question: CircleQuestion,
        by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        let id = try check(keys, name: name)
        let record = try circleRecord()
        try record.requireIn()
        guard !record.membership.removed.contains(id) else { throw .notAMember }
        try confirm(.init(.addsMachine, name: name, fingerprint: id.fingerprint), question, by: deadline)
        return try stating { (record) throws(Refusal) in
            try record.requireIn()
            record.membership.add(
                id,
                .init(
                    keys: keys, sponsor: record.own.id, place: .init(device: record.own.id, seq: 0),
                    isRecoveryKey: false, reads: versions.most))
            guard record.membership.present[id]?.keys == keys else { throw .fullCircle }
            record.names[id] = try sealPart(
                SecretBytes(copying: Array(name.utf8).span), .name, of: id.bytes, in: record.circle)
            // Without keys nobody would ever read the names.
            let isFirst = record.random != .none && record.membership.currentGeneration == nil
            let generation = isFirst ? [try newGeneration(in: &record)] : []
            let sealed = try sealedName(name, of: id, in: record)
            let addition = Addition(keys, least: versions.least, most: versions.most, name: sealed)
            return generation + [.add(addition)] + (try ownName(in: record))
        }
    }

    /// The name of the machine that has begun the circle, which nobody has added: an `add` of itself. It comes with
    /// each machine that this one adds and with its recovery keys, and changes nothing else.
    func ownName(in record: CircleRecord) throws(Refusal) -> [SyncStatement] {
        guard record.random != .none else { return [] }
        let (own, name) = (record.own, name(of: record.own.id, in: record))
        guard !name.isEmpty else { return [] }
        let sealed = try sealedName(name, of: own.id, in: record)
        return sealed.isEmpty ? [] : [.add(Addition(own.keys, name: sealed))]
    }

    /// Checks what the daemon says of a machine.
    private func check(_ keys: MemberKeys, name: String) throws(Refusal) -> MemberID {
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        for point in [keys.signing, keys.agreement] {
            guard (try? PublicKey(external: point.span, type: .ecSECPrimeRandom))?.bits == 256 else {
                throw .malformedMachine
            }
        }
        return try identifier(of: keys)
    }

    /// The name under the keys that the batch will be sealed with; empty where there are none.
    func sealedName(_ name: String, of id: MemberID, in record: CircleRecord) throws(Refusal) -> [UInt8] {
        guard let current = record.membership.currentGeneration?.id, record.held[current] != nil else { return [] }
        let key = try commonKey(of: current, in: record)
        let padded = Array(name.utf8) + [UInt8](repeating: 0, count: CircleState.nameBytes - name.utf8.count)
        do throws(CryptoError) {
            return try CircleCipher.seal(
                SecretBytes(copying: padded.span), .name, under: key, salt: id.bytes,
                place: record.circle.bytes + id.bytes)
        } catch { throw .crypto(error) }
    }

    package func removeMachine(
        _ member: MemberID, keeping kept: [MemberID], asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> [SyncStatement] {
        let record = try circleRecord()
        let kept = Set(kept).sorted()
        try record.requireRemovable(member, keeping: kept)
        let others = record.removed(with: member, keeping: kept).map { describe($0, in: record) }
        let change = UserQuestion.Change(
            .removesMachine, name: name(of: member, in: record), fingerprint: member.fingerprint,
            others: others.joined(separator: ", "))
        try confirm(change, question, by: deadline)
        return try stating { (record) throws(Refusal) in
            try record.requireRemovable(member, keeping: kept)
            // One that is out already gets no new keys either. Others may not have heard of it yet.
            let isRepeated = record.membership.removed.contains(member)
            record.remove(member, kept: kept, by: record.own.id)
            // One of too many counts nowhere.
            guard record.membership.removed.contains(member) else { throw .fullCircle }
            let removal = SyncStatement.remove(member, .user, kept: kept)
            return isRepeated && record.canGoOn ? [removal] : [removal, try newGeneration(in: &record)]
        }
    }

    package func leaveCircle(asking question: CircleQuestion, by deadline: Deadline) throws(Refusal) {
        let record = try circleRecord()
        try confirm(.init(.leaves, fingerprint: record.circle.fingerprint), question, by: deadline)
        try withVault { (vault) throws(Refusal) in
            guard vault.circle?.own.id == record.own.id else { throw .noCircle }
            vault.forgetCircle()
            try keep(&vault, counting: .content)
        }
        pairing.withLock { $0 = nil }
        forgetLoadedKeys()
    }

    package func resetCircle(
        name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState {
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        let old = try circle() == nil ? nil : try circleRecord()
        try confirm(.init(.resets, name: name, fingerprint: old?.circle.fingerprint ?? ""), question, by: deadline)
        try keepNew(try makeRecord(joining: nil, as: name), replacing: old?.own.id)
        pairing.withLock { $0 = nil }
        forgetLoadedKeys()
        guard let made = try circle() else { throw .noCircle }
        return made
    }

    /// A machine in a list of machines. A recovery key has brackets alone, which no machine has.
    ///
    /// - Parameter fact: what else is said of it.
    func describe(_ member: MemberID, in record: CircleRecord, also fact: String = "") -> String {
        guard record.membership.members[member]?.isRecoveryKey != true else { return "(\(member.fingerprint))" }
        let name = name(of: member, in: record).inList
        let facts = ((name.isEmpty ? [] : [member.fingerprint]) + (fact.isEmpty ? [] : [fact])).joined(separator: ", ")
        return (name.isEmpty ? member.fingerprint : name) + (facts.isEmpty ? "" : " (\(facts))")
    }
}

extension String {
    /// A machine's name without what ends it in a list: no name looks like several machines.
    fileprivate var inList: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.endsName ? "'" : $0 }))
    }
}

extension Unicode.Scalar {
    /// Whether it is a bracket, or a comma of any script.
    fileprivate var endsName: Bool {
        [.openPunctuation, .closePunctuation].contains(properties.generalCategory)
            || ",;،、，；".unicodeScalars.contains(self)
    }
}

extension CircleRecord {
    /// - Throws: `errSecAuthFailed` (`circle.not-a-member`) when this machine is not in.
    func requireIn() throws(Refusal) {
        guard isIn else { throw .notAMember }
    }

    /// Whether this machine can remove another, and its user can keep these.
    fileprivate func requireRemovable(_ member: MemberID, keeping kept: [MemberID]) throws(Refusal) {
        try requireIn()
        guard member != own.id, membership.members[member] != nil,
            Set(kept).isSubset(of: membership.introduced(by: member))
        else { throw .notAMember }
    }

    /// The machines that go with a member.
    fileprivate func removed(with member: MemberID, keeping kept: [MemberID]) -> [MemberID] {
        var after = self
        after.remove(member, kept: kept, by: own.id)
        return after.membership.removed.subtracting(membership.removed).subtracting([member]).sorted()
    }
}
