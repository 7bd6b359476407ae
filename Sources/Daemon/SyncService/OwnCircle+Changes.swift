import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// Changes of the circle, without the question to the user, which may take as long as a person.
extension OwnCircle {
    /// Looks whether a change is possible, and prepares it, before the user is asked.
    func prepare(_ change: CircleChange) throws(Refusal) {
        switch change {
        case .begin(let place, let name), .join(_, let place, let name):
            guard try state == nil else { throw .isInCircle }
            try begin(try CircleNotes(at: place, as: name))
        case .add(let keys, let name):
            try CirclePlace.checkName(name)
            try requireIn { replica, own in
                if replica.membership.present[own.member(keys)] != nil { return .isAddedAlready }
                return replica.mayIntroduce ? nil : .mayNotIntroduce
            }
        case .remove(let member, _):
            try requireIn { replica, _ in replica.membership.members[member] == nil ? .notInThisCircle : nil }
        case .leave, .reset:
            // A crash, or an older vault, may have left it in the store alone.
            guard try state == nil, try !CircleRecords(engine).isEntered else { return }
            throw .inNoCircle
        case .recoveryKey: try requireIn { _, _ in nil }
        case .pair, .recover: return
        }
    }

    private func begin(_ file: CircleNotes) throws(Refusal) {
        // A crash may have left it behind when the enclave had left the circle already.
        try CircleRecords(engine).leave()
        try write(file)
    }

    /// The enclave has entered a circle. Another one may have been prepared while its user was asked.
    func enter(_ file: CircleNotes) throws(Refusal) {
        reset()
        try write(file)
    }

    /// Prepares to enter the circle of a welcome.
    func prepare(_ turn: PairingDesk.Turn, _ welcome: PairingWelcome) throws(Refusal) -> CircleNotes {
        var file = try CircleNotes(at: turn.place, as: turn.name)
        let name = String(decoding: welcome.name, as: UTF8.self)
        if (try? CirclePlace.checkName(name)) != nil { file.partner = CircleNotes.Partner(welcome.member, name) }
        try begin(file)
        return file
    }

    /// Whether this machine can add another.
    func requireMayAdd() throws(Refusal) {
        try requireIn { replica, _ in replica.mayIntroduce ? nil : .mayNotIntroduce }
    }

    /// Whether this machine can join a circle: it is in none, or nobody has added it to its own.
    func requireMayJoin() throws(Refusal) {
        guard try state != nil else { return }
        guard try status()?.standing == .waitsToBeAdded else { throw .isInCircle }
    }

    private func requireIn(
        _ check: (Replica<StoredRows>, EnclaveCircleKeys) -> Refusal?
    ) throws(Refusal) {
        if try file.isDoubled { throw .circleIsDoubled }
        guard let state = try state else { throw .inNoCircle }
        let refusal = try perform { replica, _, keys -> Refusal? in
            if replica.isOut(state, keys) { return .removedHere }
            guard replica.membership.members[replica.me] != nil else {
                return state.random == nil ? .notAddedYet : .circleIsBeginning
            }
            // A machine's name is sealed with keys of the circle, and what is removed gets no new ones.
            guard let current = replica.membership.currentGeneration?.id, keys.holds(current) else {
                return .circleIsBeginning
            }
            return check(replica, keys)
        }
        if let refusal { throw refusal }
    }

    /// States what the enclave has made, in the next batch.
    func state(_ statements: [SyncStatement]) throws(Refusal) {
        try perform { replica, _, keys in
            for statement in statements where !replica.says(statement) { replica.state(statement) }
            // Signed while the enclave knows that it has made them; nothing is composed twice.
            replica.repeatsRemovals = false
            _ = replica.compose(keys)
        }
    }

    /// The keychain belongs to no circle any more, as its enclave does already. Items stay.
    func leave() throws(Refusal) {
        // Another one may have been entered meanwhile.
        guard try state == nil else { return }
        try CircleRecords(engine).leave()
        try write(CircleNotes())
        reset()
    }
}

extension Refusal {
    fileprivate static let isAddedAlready = Refusal(
        .param, .contradiction, "circle", "The machine is in the circle already.", do: "Nothing has to be done.")

    fileprivate static let mayNotIntroduce = Refusal(
        .notAvailable, .notAMember, "circle",
        "This machine has not compared the circle's last snapshot with what it has, and adds nobody before.",
        do: "Wait until it has, or add the machine on another one.")

    fileprivate static let notInThisCircle = Refusal(
        .param, .notAMember, "circle", "No machine of this circle has this identifier.",
        do: "Look at the identifiers of its machines (security sync status).")
}

/// Where a circle is kept.
struct CirclePlace {
    /// Its one spelling.
    let text: String

    /// - Throws: `errSecParam` for another kind of place, or none.
    init(_ text: String) throws(Refusal) {
        guard let place = SyncPlace(text), place.text.utf8.count < WireLimits.nameBytes - 16 else { throw .wrongPlace }
        self.text = place.text
    }

    static func checkName(_ name: String) throws(Refusal) {
        let isPlain = name.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7f...0x9f ~= $0.value) }
        guard (1...CircleChange.nameBytes).contains(name.utf8.count), isPlain else { throw .wrongMachineName }
    }
}
