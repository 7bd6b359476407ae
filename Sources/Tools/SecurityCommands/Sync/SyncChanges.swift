import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The verbs that change the circle.
extension SyncTask {
    func setUp() throws(CommandFailure) { try setUp(at: try PlaceOperand(operands[0]).place) }

    private func setUp(at place: SyncPlace) throws(CommandFailure) { try finish(try begun(at: place), at: place) }

    /// Makes the place of a circle that was begun, and has it served.
    private func finish(_ status: SyncStatus, at place: SyncPlace) throws(CommandFailure) {
        try Carrier(session).goRound(founds: true)
        let isServed = Carrier(session).serve()
        if session.writesJSON { return write(status, isServed: isServed, code: nil) }
        say("a circle was begun in \(place.shown), with this machine in it")
        say(
            place.isRemote
                ? "on each other machine: security sync join URL \(status.circle.text)"
                : "for each other machine: security sync add-device here, and security sync join FOLDER there")
        explain(isServed: isServed)
    }

    /// A new circle; or that which was begun for this place and is not there yet, because the place could not be used.
    private func begun(at place: SyncPlace) throws(CommandFailure) -> SyncStatus {
        if case .status(let status?)? = try? ask(.status), status.saysNothingYet, status.place == place.text {
            return status
        }
        let name = try machineName()
        _ = try prepare(place, .founds)
        return try enter(place, .begin(place: place.text, name: name))
    }

    func join() throws(CommandFailure) {
        let place = try PlaceOperand(operands[0]).place
        if arguments.has("r") { return try recover(place) }
        guard operands.count > 1 else { return try joinByDigits(place) }
        guard let circle = CircleID(text: operands[1]) else { throw .usage("a circle has 32 hexadecimal digits") }
        let name = try machineName()
        let hash = try prepare(place, .joins)
        let status = try enter(place, .join(circle, place: place.text, name: name))
        let code = MachineCode(circle: circle, keys: status.keys, name: name, tokenHash: hash).text
        let isServed = Carrier(session).serve()
        if session.writesJSON { return write(status, isServed: isServed, code: code) }
        say("on a machine that is in: security sync add-device \(code)")
        explain(isServed: isServed)
    }

    func addDevice() throws(CommandFailure) {
        guard !operands.isEmpty else { return try addByDigits() }
        guard let code = MachineCode(operands[0]) else {
            throw .failed(
                "the code of a machine was not copied as a whole",
                remedy: "Copy it again from the output of `security sync join`; it is one word.")
        }
        let before = try status()
        guard before.circle == code.circle else {
            throw .failed(
                "the code is of a machine that wants to join another circle",
                remedy: "Give `security sync join` there the circle that `security sync status` shows here.")
        }
        let hasTokens = if case .server = SyncPlace(before.place) { true } else { false }
        guard hasTokens != code.tokenHash.isEmpty else {
            throw .failed(
                "the code is of a machine that looks for the circle at another kind of place",
                remedy: "Leave the circle there, and give `security sync join` the place of this one.")
        }
        let status = try add(code)
        if hasTokens { try Carrier(session).admit(code) }
        Carrier(session).hurry()
        if session.writesJSON, let status { return write(status, added: code, to: before) }
        say("added: \(code.name)")
        say("the machine reads the keychain's items when both machines have looked at the circle's place")
    }

    func removeDevice() throws(CommandFailure) {
        let before = try status()
        let target = try find(operands[0], in: before.machines)
        var kept: [SyncStatus.Machine] = []
        for word in arguments.value("k")?.text.split(separator: ",") ?? [] {
            kept.append(try find(String(word), in: before.machines))
        }
        guard let after = try change(.remove(target.id, keeping: kept.map(\.id).sorted())) else {
            throw .unexpectedCircleReply
        }
        Carrier(session).hurry()
        let removal = SyncRemoval(target, keeping: kept, before, after)
        if session.writesJSON { return session.output.write(removal.json) }
        say(removal)
        if case .server = SyncPlace(before.place) {
            say("the machine keeps what it knew: change passwords that matter; the server lets it in no more")
        } else {
            say("the machine keeps what it knew: change passwords that matter, and take its access to the place away")
        }
    }

    private func say(_ removal: SyncRemoval) {
        say("removed: \(removal.target.name)")
        for other in removal.others { say("removed as well: \(other.name.isEmpty ? other.id.text : other.name)") }
        for key in removal.recoveryKeys {
            say("its recovery key is out as well: \(key.id.text); another one: security sync recovery-key")
        }
        if !removal.uninformed.isEmpty {
            let names = CircleMachines(removal.after)
            let shown = removal.uninformed.map { names.name($0.id.bytes) }.joined(separator: ", ")
            say("it may read what these write until they know of this (security sync status): \(shown)")
        }
        let count = removal.after.items
        guard count > 0 else { return }
        say(
            count == 1
                ? "it may know 1 item that travels; security list shows it"
                : "it may know \(count) items that travel; security list shows them")
    }

    /// Begins a circle in place of the one that cannot be helped. A server or a bucket is asked as by `setup`, which
    /// takes a keychain without a circle alone.
    func reset() throws(CommandFailure) {
        let before = try? status()
        guard let word = operands.first ?? before.map({ SyncPlace($0.place)?.shown ?? $0.place }) else {
            throw .failed(
                "where this keychain's circle is kept is not known", remedy: "Name it: `security sync reset PLACE`.")
        }
        let place = try PlaceOperand(word).place
        guard !place.isRemote else {
            // One that was cut off has given the circle up already.
            _ = try giveUp(before)
            return try setUp(at: place)
        }
        let name = try machineName()
        guard let status = try change(.reset(place: place.text, name: name)) else { throw .unexpectedCircleReply }
        try finish(status, at: place)
    }

    private func stopServing() {
        guard let path = Carrier(session).stopServing() else { return }
        session.complain(
            "the file \(path) could not be removed: keychain-carrier is started at each login until it is")
    }

    func leave() throws(CommandFailure) {
        let before = try? status()
        guard try giveUp(before) else { throw .noCircle }
        if session.writesJSON {
            let circle = before.map { JSONValue.string($0.circle.text) } ?? .null
            return session.output.write(.object([("left", circle)]))
        }
        say("this keychain belongs to no circle now; its items stay")
        say("the other machines still list this one: security sync remove-device there ends that")
    }

    /// - Returns: whether the keychain belonged to a circle.
    private func giveUp(_ before: SyncStatus?) throws(CommandFailure) -> Bool {
        // The way out of a circle of which nothing can be shown, too.
        do throws(CommandFailure) { _ = try change(.leave) } catch {
            guard error.isNoCircle, case .status(nil)? = try? ask(.status) else { throw error }
            // A command that was cut off has left it behind.
            stopServing()
            return false
        }
        stopServing()
        if before.flatMap({ SyncPlace($0.place) })?.isRemote == true { Carrier(session).forget() }
        return true
    }

    func pause(_ isPaused: Bool) throws(CommandFailure) {
        _ = try status()
        _ = try ask(.pause(isPaused))
        if session.writesJSON { return session.output.write(.object([("paused", .boolean(isPaused))])) }
        say(isPaused ? "paused: nothing is sent or read" : "resumed")
    }

    func goRound() throws(CommandFailure) {
        let status = try status()
        guard !status.isPaused else {
            throw .failed("the circle is paused", remedy: "Go on with it: `security sync resume`.")
        }
        _ = try ask(.now)
        try Carrier(session).goRound(founds: false)
        try SyncReport(self).show()
    }

    // MARK: - Words

    private func find(_ word: String, in machines: [SyncStatus.Machine]) throws(CommandFailure) -> SyncStatus.Machine {
        let present = machines.filter { !$0.flags.contains(.isRemoved) }
        // No machine can hinder the removal of another by taking its identifier for a name.
        if let one = present.first(where: { $0.id.text == word }) { return one }
        let found = present.filter { $0.name == word || word.utf8.count >= 8 && $0.id.text.hasPrefix(word) }
        guard found.count <= 1 else {
            throw .failed("\(word) is the name of several machines", remedy: "Give the id: `security sync devices`.")
        }
        guard let one = found.first else {
            throw .failed("the circle has no machine \(word)", remedy: "See `security sync devices`.")
        }
        return one
    }

    func explain(isServed: Bool) {
        say("items travel that are synchronisable, and none of this device only; `security help sync` says more")
        say(
            isServed
                ? "keychain-carrier.service carries them from now on"
                : "nothing carries them by itself here: run `security sync now`, or keychain-carrier in the background")
    }

    private func write(_ status: SyncStatus, isServed: Bool?, code: String?) {
        session.output.write(
            .object([
                ("circle", .string(status.circle.text)), ("me", .string(status.me.text)),
                ("code", code.map { .string($0) } ?? .null),
                ("service", isServed.map { .boolean($0) } ?? .null),
            ]))
    }

    /// The machine that was added: the one that is new, or where it was in already, the one of that name.
    private func write(_ status: SyncStatus, added code: MachineCode, to before: SyncStatus) {
        let known = Set(before.machines.map(\.id))
        let named = status.machines.filter { $0.name == code.name && !$0.flags.contains(.isRemoved) }
        let added = status.machines.first { !known.contains($0.id) } ?? (named.count == 1 ? named[0] : nil)
        session.output.write(
            .object([
                ("circle", .string(status.circle.text)), ("me", .string(status.me.text)),
                ("machine", added.map(\.json) ?? .object([("id", .null), ("name", .string(code.name))])),
            ]))
    }
}

// MARK: - Entering

/// How a machine enters a circle at a place.
enum WayIntoCircle {
    /// It begins the circle.
    case founds
    /// Another machine adds it.
    case joins
    /// A recovery key adds it.
    case recovers
}

extension SyncTask {
    /// Tries a place before anything is changed, and has the carrier keep what this machine shows there.
    ///
    /// - Returns: SHA-256 of this machine's token; nothing for a place without tokens.
    func prepare(_ place: SyncPlace, _ entry: WayIntoCircle) throws(CommandFailure) -> [UInt8] {
        try requireMayEnter(entry)
        guard place.isRemote else { return [] }
        var secret = SecretBytes(count: 0)
        if case .bucket = place { secret = try shown(["the bucket's access key: ", "the bucket's secret key: "]) }
        if case .server = place, entry != .joins {
            secret = try shown(["the server's invitation: "])
            guard secret.count == Self.invitationDigits else {
                throw .failed(
                    "an invitation has 64 hexadecimal digits",
                    remedy: "Copy it again, as the administrator has got it.")
            }
        }
        return try Carrier(session).prepare(place, secret, entry)
    }

    /// A recovery that was cut off has left a circle behind, and is repeated.
    private func requireMayEnter(_ entry: WayIntoCircle) throws(CommandFailure) {
        guard let status = try session.circle(SyncCommand.call) else { return }
        guard entry == .recovers, status.standing == .waitsToBeAdded else {
            throw .failed(
                "this keychain belongs to a circle already", remedy: "Leave it first: `security sync leave`.")
        }
    }

    private static let invitationDigits = 64

    /// Lines that are shown at a place: from a file, the terminal or standard input, and never from the command line.
    private func shown(_ prompts: [String]) throws(CommandFailure) -> SecretBytes {
        guard let path = arguments.value("i")?.text else {
            let lines = SecretBuffer()
            for (number, prompt) in prompts.enumerated() {
                if number > 0 { lines.append(UInt8(ascii: "\n")) }
                try PasswordInput(session).passcode(prompt).withSpan { lines.append($0) }
            }
            return lines.finish()
        }
        let secret: SecretBytes
        do throws(SystemError) { secret = try AtomicFile.readSecret(path, limit: 1024) } catch {
            throw CommandFailure(path, error)
        }
        return secret.withSpan { span in
            let isEnd = span.count > 0 && span[span.count - 1] == 0x0A
            return SecretBytes(copying: span.extracting(..<(span.count - (isEnd ? 1 : 0))))
        }
    }

    /// Begins a circle or asks to join one. Where that fails, the carrier forgets what it has kept.
    private func enter(_ place: SyncPlace, _ change: CircleChange) throws(CommandFailure) -> SyncStatus {
        do throws(CommandFailure) {
            guard let status = try self.change(change) else { throw .unexpectedCircleReply }
            return status
        } catch {
            if place.isRemote { Carrier(session).forget() }
            throw error
        }
    }

    /// Adds a machine. It may be in already, and the server not know it yet: then only that is left.
    private func add(_ code: MachineCode) throws(CommandFailure) -> SyncStatus? {
        do throws(CommandFailure) { return try change(.add(code.keys, name: code.name)) } catch {
            guard case .refused(_, let refusal) = error, refusal.rule == .contradiction, !code.tokenHash.isEmpty else {
                throw error
            }
            let status = try status()
            guard status.standing == .isIn else { throw error }
            return status
        }
    }
}

/// The place of a circle, as a command line names it.
struct PlaceOperand {
    let place: SyncPlace

    /// - Throws: ``CommandFailure`` for what is no place, and a folder that is not there.
    init(_ word: String) throws(CommandFailure) {
        guard let place = SyncPlace(word) else {
            throw .failed(
                "\(word) is neither the absolute path of a folder nor the URL of a server or a bucket",
                remedy: "Give a folder such as /home/me/Sync, postgresql://ME@HOST/sync, or https://HOST/BUCKET.")
        }
        self.place = place
        if case .folder(let path) = place {
            guard let status = try? FileStatus(at: path), status.isDirectory else {
                throw .failed(
                    "there is no folder \(path)", remedy: "Make it, or mount its disk, then repeat the command.")
            }
        }
    }
}

extension SyncStatus {
    /// Whether this machine has begun the circle, and its place has nothing of it.
    fileprivate var saysNothingYet: Bool { standing == .isIn && machines.allSatisfy { $0.seq == 0 } }
}
