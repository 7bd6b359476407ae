import CommandOptions
import KeychainWire
import LinuxSystem
import SyncFormat

/// The verbs that change the circle.
extension SyncTask {
    func setUp() throws(CommandFailure) {
        let place = try CircleFolder.path(operands[0])
        let status = try begun(in: place)
        try Carrier(session).goRound(founds: true)
        let isServed = Carrier(session).serve()
        if session.writesJSON { return write(status, isServed: isServed, code: nil) }
        say("a circle was begun in \(place), with this machine in it")
        say("for each other machine: security sync add-device here, and security sync join FOLDER there")
        explain(isServed: isServed)
    }

    /// A new circle; or that which was begun for this place and is not there yet, because the folder could not be used.
    private func begun(in place: String) throws(CommandFailure) -> SyncStatus {
        if case .status(let status?)? = try? ask(.status), status.saysNothingYet, status.place == "folder:\(place)" {
            return status
        }
        guard let status = try change(.begin(place: place, name: try machineName())) else {
            throw .unexpectedCircleReply
        }
        return status
    }

    func join() throws(CommandFailure) {
        let place = try CircleFolder.path(operands[0])
        guard operands.count > 1 else { return try joinByDigits(place) }
        guard let circle = CircleID(text: operands[1]) else { throw .usage("a circle has 32 hexadecimal digits") }
        let name = try machineName()
        guard let status = try change(.join(circle, place: place, name: name)) else { throw .unexpectedCircleReply }
        let code = MachineCode(circle: circle, keys: status.keys, name: name).text
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
        guard try status().circle == code.circle else {
            throw .failed(
                "the code is of a machine that wants to join another circle",
                remedy: "Give `security sync join` there the circle that `security sync status` shows here.")
        }
        let status = try change(.add(code.keys, name: code.name))
        if session.writesJSON, let status { return write(status, isServed: nil, code: nil) }
        say("added: \(code.name)")
        say("the machine reads the keychain's items when both machines have looked at the folder")
        Carrier(session).hurry()
    }

    func removeDevice() throws(CommandFailure) {
        let machines = try status().machines
        let target = try find(operands[0], in: machines)
        var kept: [MemberID] = []
        for word in arguments.value("k")?.text.split(separator: ",") ?? [] {
            kept.append(try find(String(word), in: machines).id)
        }
        let status = try change(.remove(target.id, keeping: kept.sorted()))
        if session.writesJSON, let status { return write(status, isServed: nil, code: nil) }
        say("removed: \(target.name)")
        say("the machine keeps what it knew: change passwords that matter, and take its access to the folder away")
        Carrier(session).hurry()
    }

    private func stopServing() {
        guard let path = Carrier(session).stopServing() else { return }
        session.complain(
            "the file \(path) could not be removed: keychain-carrier is started at each login until it is")
    }

    func leave() throws(CommandFailure) {
        // The way out of a circle of which nothing can be shown, too.
        do throws(CommandFailure) { _ = try change(.leave) } catch {
            guard error.isNoCircle, case .status(nil)? = try? ask(.status) else { throw error }
            // A command that was cut off has left it behind.
            stopServing()
            throw .noCircle
        }
        stopServing()
        say("this keychain belongs to no circle now; its items stay")
        say("the other machines still list this one: security sync remove-device there ends that")
    }

    func pause(_ isPaused: Bool) throws(CommandFailure) {
        _ = try status()
        _ = try ask(.pause(isPaused))
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
}

/// The folder that a circle is in, as a command line names it.
enum CircleFolder {
    /// The absolute path of a folder that is there.
    ///
    /// - Throws: ``CommandFailure`` for what is none.
    static func path(_ word: String) throws(CommandFailure) -> String {
        let path = word.hasPrefix("folder:") ? String(word.dropFirst("folder:".count)) : word
        guard path.hasPrefix("/") else {
            throw .failed(
                "\(word) is not the absolute path of a folder",
                cause: "Servers and buckets carry no circle in this release.",
                remedy: "Give a folder that all machines have, such as /home/me/Sync.")
        }
        guard let status = try? FileStatus(at: path), status.isDirectory else {
            throw .failed("there is no folder \(path)", remedy: "Make it, or mount its disk, then repeat the command.")
        }
        return path
    }
}

extension SyncStatus {
    /// Whether this machine has begun the circle, and its place has nothing of it.
    fileprivate var saysNothingYet: Bool { standing == .isIn && machines.allSatisfy { $0.seq == 0 } }
}

extension SyncIdentifier {
    /// Reads thirty-two hexadecimal digits; nil for anything else.
    init?(text: String) {
        guard text.utf8.count == 2 * Self.size, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }),
            let number = UInt128(text, radix: 16)
        else { return nil }
        self.init(number: number)
    }
}
