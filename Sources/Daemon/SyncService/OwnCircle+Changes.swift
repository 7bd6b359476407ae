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
            let place = try CirclePlace(place)
            try CirclePlace.checkName(name)
            // A crash may have left it behind when the enclave had left the circle already.
            try CircleRecords(engine).leave()
            try self.change { file in
                file = CircleNotes()
                (file.place, file.name) = (place.text, name)
            }
        case .add(let keys, let name):
            try CirclePlace.checkName(name)
            try requireIn { replica, own in
                if replica.membership.present[own.member(keys)] != nil { return .isAddedAlready }
                return replica.mayIntroduce ? nil : .mayNotIntroduce
            }
        case .remove(let member, _):
            try requireIn { replica, _ in replica.membership.members[member] == nil ? .notInThisCircle : nil }
        case .leave: return
        }
    }

    private func requireIn(
        _ check: (Replica<StoredRows>, EnclaveCircleKeys) -> Refusal?
    ) throws(Refusal) {
        guard let state = try state else { throw .inNoCircle }
        if file.isDoubled { throw .circleIsDoubled }
        let refusal = try perform { replica, _, keys -> Refusal? in
            if replica.isRemoved || state.isRemoved(replica.me) { return .removedHere }
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
            _ = replica.compose(keys)
        }
    }

    /// The keychain belongs to no circle any more, as its enclave does already. Items stay.
    func leave() throws(Refusal) {
        try CircleRecords(engine).leave()
        try change { $0 = CircleNotes() }
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
